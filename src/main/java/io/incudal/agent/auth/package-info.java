/**
 * Who may do what: the static token, and JWTs of an issuer. Knows nothing of HTTP; everything runs
 * on the event loop of whoever asks, signatures on a worker.
 */
package io.incudal.agent.auth;
