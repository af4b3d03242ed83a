"""Starts a Buildbot worker as Buildbot's own image does: the master has put its settings into the Pod's environment."""

import os
import sys

from buildbot_worker.bot import Worker
from twisted.application import service
from twisted.python.log import FileLogObserver, ILogObserver

application = service.Application("buildbot-worker")
application.setComponent(ILogObserver, FileLogObserver(sys.stdout).emit)
Worker(
    os.environ["BUILDMASTER"],
    int(os.environ["BUILDMASTER_PORT"]),
    os.environ["WORKERNAME"],
    os.environ.pop("WORKERPASS"),
    "/tmp",
    keepalive=600,
    maxdelay=300,
    maxRetries=10,
).setServiceParent(application)
