/**
 * The HTTP door. Everything in here runs on the one event loop of {@link
 * io.incudal.agent.api.HttpVerticle}, so nothing is shared and nothing is locked; what may take
 * long is asked for over the bus or done on the verticle's own worker pool.
 */
package io.incudal.agent.api;
