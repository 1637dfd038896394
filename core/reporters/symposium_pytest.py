"""A plugin for pytest (Python 3.8 and later): writes what happens as lines of JSON to the file SYMPOSIUM_TEST_EVENTS names."""

import json
import os
import textwrap

import pytest

LONGEST = 20_000
# A worker of pytest-xdist tells all of it to the process that started it, which has this plugin, too.
_file = None if "PYTEST_XDIST_WORKER" in os.environ else os.environ.get("SYMPOSIUM_TEST_EVENTS")
_root = ""


def _emit(event):
    if not _file:
        return
    try:
        with open(_file, "a", encoding="utf-8") as out:
            out.write(json.dumps(event) + "\n")
    except OSError:
        pass  # A full disk is not the tests' fault.


def _text(value):
    text = str(value)
    return text if len(text) <= LONGEST else "%s… %d characters left out" % (text[:LONGEST], len(text) - LONGEST)


def _described(report):
    """Place, message and own frames of a failed report."""
    representation = report.longrepr
    crash = getattr(representation, "reprcrash", None)
    traceback = getattr(representation, "reprtraceback", None)
    if crash is None:
        return {"message": _text(representation)}
    frames, lines = [], []
    for entry in getattr(traceback, "reprentries", []):
        place = getattr(entry, "reprfileloc", None)
        if place is not None:
            frames.append("    at %s:%s %s" % (place.path, place.lineno, place.message))
        # What pytest explains of an assertion stands in the last entry, each line after an E.
        lines = [line[1:].rstrip() for line in getattr(entry, "lines", []) if line.startswith("E")]
    message = textwrap.dedent("\n".join(lines)) if lines else crash.message
    return {"message": _text(message), "line": crash.lineno, "file": crash.path, "stack": "\n".join(reversed(frames))}


def _output(report):
    parts = [(title, text) for title, text in report.sections if text.strip()]
    return {"output": _text("\n".join(text.rstrip() for _, text in parts))} if parts else {}


def pytest_configure(config):
    global _root
    _root = str(config.rootpath if hasattr(config, "rootpath") else config.rootdir)
    if not hasattr(config, "workerinput"):
        _emit({"event": "begin", "runner": "pytest", "version": pytest.__version__})


def pytest_runtest_logstart(nodeid, location):
    _emit({"event": "start", "name": nodeid, "file": location[0]})


def pytest_runtest_logreport(report):
    base = {"name": report.nodeid, "file": report.location[0]}
    if report.failed:
        kind = "test" if report.when == "call" else "hook"
        event = {"event": "fault", "kind": kind}
        event.update(base)
        event.update(_described(report))
        event.update(_output(report))
        event["testFile"] = os.path.join(_root, report.location[0])
        _emit(event)
    elif hasattr(report, "wasxfail"):
        _emit({"event": "xpassed" if report.passed else "xfailed", **base})
    elif report.skipped:
        _emit({"event": "skip", **base})
    elif report.passed and report.when == "call":
        _emit({"event": "pass", **base})


def pytest_collectreport(report):
    if report.failed:
        event = {"event": "fault", "kind": "load", "name": report.nodeid, "file": report.nodeid}
        event.update(_described(report))
        event.update(_output(report))
        event["testFile"] = os.path.join(_root, report.nodeid.split("::")[0])
        _emit(event)


@pytest.hookimpl(optionalhook=True)
def pytest_warning_recorded(warning_message, when, nodeid, location):
    _emit({"event": "notice", "text": "%s: %s (%s:%s)" % (warning_message.category.__name__, warning_message.message, warning_message.filename, warning_message.lineno)})


def pytest_internalerror(excrepr):
    _emit({"event": "fault", "kind": "unhandled", "name": "pytest", "message": _text(excrepr)})


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        _emit({"event": "end"})
