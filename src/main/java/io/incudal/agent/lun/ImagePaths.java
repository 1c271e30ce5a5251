package io.incudal.agent.lun;
