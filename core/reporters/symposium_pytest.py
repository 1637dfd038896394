"""A plugin for pytest (Python 3.8 and later): writes what happens as lines of JSON to the file SYMPOSIUM_TEST_EVENTS names."""

import inspect
import json
import os
import re
import sysconfig
import textwrap
import traceback

import pytest

LONGEST = 20_000
MOST_FRAMES = 50
# How many causes and parts of an exception are described.
MOST_CAUSES = 20
# How many lines that are equal are kept around those that differ, where a difference is too long.
AROUND = 3
# How long such a line may be, and how much of two of them is kept before the first letter that differs.
LONGEST_LINE = 1_000
SHOWN_BEFORE = 60
# What a line looks like that says what differs.
DIFFERENT = re.compile(r"\s*[-+](\s|$)|.* != |\s*Full diff")
STANDARD = sysconfig.get_paths()["stdlib"].replace("\\", "/") + "/"
# A worker of pytest-xdist tells all of it to the process that started it, which has this plugin, too.
_file = None if "PYTEST_XDIST_WORKER" in os.environ else os.environ.get("SYMPOSIUM_TEST_EVENTS")
_root = ""
# Whether a file did not load, and whether a test has begun.
_is_broken = False
_has_begun = False


def _emit(event):
    if not _file:
        return
    try:
        with open(_file, "a", encoding="utf-8") as out:
            out.write(json.dumps(event) + "\n")
    except OSError:
        pass  # A full disk is not the tests' fault.


def _text(value, most=LONGEST):
    text = str(value)
    return text if len(text) <= most else "%s… %d characters left out" % (text[:most], len(text) - most)


def _condensed(lines):
    """The lines of a message; of a long one, what differs and a little around it, for its end says what else is missing."""
    if sum(len(line) + 1 for line in lines) <= LONGEST:
        return "\n".join(lines)
    lines = _without_equal_beginnings(lines)
    kept = set(range(min(AROUND, len(lines))))
    for index, line in enumerate(lines):
        if DIFFERENT.match(line):
            kept.update(range(max(0, index - AROUND), min(len(lines), index + AROUND + 1)))
    shown, left = [], 0
    for index, line in enumerate(lines):
        if index not in kept:
            left += 1
            continue
        if left:
            shown.append("… %d lines left out …" % left)
        left = 0
        shown.append(_text(line, LONGEST_LINE))
    return "\n".join(shown + (["… %d lines left out …" % left] if left else []))


def _without_equal_beginnings(lines):
    """Pairs of long lines begin where they differ, which may be at their end."""
    shown = [line for line in lines if len(line) <= LONGEST_LINE or not re.match(r"\s*\?[\s^+-]+$", line)]
    for index in range(len(shown) - 1):
        one, other = (re.match(r"(\s*[-+] )(.*)", line, re.DOTALL) for line in shown[index : index + 2])
        if one is None or other is None or max(len(one.group(0)), len(other.group(0))) <= LONGEST_LINE:
            continue
        same = len(os.path.commonprefix([one.group(2), other.group(2)])) - SHOWN_BEFORE
        if one.group(1).strip() == other.group(1).strip() or same <= SHOWN_BEFORE:
            continue
        left = "… %d characters left out, which are the same …" % same
        shown[index : index + 2] = [side.group(1) + left + side.group(2)[same:] for side in (one, other)]
    return shown


def _described(report):
    """Place, message and own frames of a failed report."""
    # Why a module does not load; pytest says it in one text with the calls of its own.
    loading = getattr(report, "symposium_loading", None)
    if loading is not None:
        return loading
    described = _failing(report)
    behind = getattr(report, "symposium_causes", [])
    return {**described, "message": _text("\n".join([described["message"], *behind]))} if behind else described


def _failing(report):
    """What _described has, without the causes."""
    representation = report.longrepr
    crash = getattr(representation, "reprcrash", None)
    entries = getattr(getattr(representation, "reprtraceback", None), "reprentries", [])
    if crash is None:
        return {"message": _text(representation), **_line_of(report)}
    # A project may ask pytest for shorter tracebacks than these.
    frames, lines = getattr(report, "symposium_frames", []), []
    for entry in entries:
        # What pytest explains of an assertion stands in the last entry, each line after an E.
        lines = [line[1:].rstrip() for line in getattr(entry, "lines", []) if line.startswith("E")]
    message = _condensed(textwrap.dedent("\n".join(lines)).split("\n")) if lines else crash.message
    if _is_foreign(crash.path) and frames and all(_is_foreign(frame[0]) for frame in frames):
        # Nothing of the project's own has failed: a test that should have, for one.
        return {"message": _text(message), **_line_of(report)}
    # unittest's assertions fail in the standard library.
    file, line = frames[0][:2] if frames and _is_foreign(crash.path) else (crash.path, crash.lineno)
    return {"message": _text(message), "line": line, "file": file, "stack": "\n".join("    at %s:%d %s" % tuple(frame) for frame in frames)}


def _line_of(report):
    """Where a test begins; a file has no such line."""
    line = (getattr(report, "location", None) or (None, None))[1]
    return {} if line is None else {"line": line + 1}


def _frames(excinfo):
    """The project's own calls of a traceback, innermost first: path, line, function."""
    entries = list(excinfo.traceback)[-MOST_FRAMES:]
    calls = [(str(entry.path), entry.lineno + 1, entry.name) for entry in reversed(entries)]
    return [call for call in calls if not _is_foreign(call[0])] or calls[:1]


def _calls(exception):
    """The calls of an exception, outermost first, and those of the project alone."""
    frames = traceback.extract_tb(exception.__traceback__)[-MOST_FRAMES:]
    return frames, [frame for frame in frames if not _is_foreign(frame.filename)]


def _behind(exception):
    """The causes of an exception and the parts of a group, each in a line or more with its place."""
    lines, seen = [], {id(exception)}

    def describe(word, other, indent):
        if other is None or id(other) in seen or len(seen) > MOST_CAUSES:
            return
        seen.add(id(other))
        _, own = _calls(other)
        place = " (%s:%d)" % (own[-1].filename, own[-1].lineno or 0) if own else ""
        said = "".join(traceback.format_exception_only(type(other), other)).strip()
        lines.append(textwrap.indent("%s: %s%s" % (word, _text(said, LONGEST_LINE), place), indent))
        follow(other, indent)

    def follow(other, indent):
        parts = getattr(other, "exceptions", ())
        for index, part in enumerate(parts if isinstance(parts, (list, tuple)) else ()):
            if isinstance(part, BaseException):
                describe("part %d" % (index + 1), part, indent + "  ")
        if other.__cause__ is not None:
            describe("caused by", other.__cause__, indent)
        elif not other.__suppress_context__:
            describe("raised while handling", other.__context__, indent)

    follow(exception, "")
    return lines


def _loading(cause):
    """Why a module does not load. Plain values, so that a worker of pytest-xdist can hand them on."""
    frames, own = _calls(cause)
    said = {
        "message": _text("\n".join(["".join(traceback.format_exception_only(type(cause), cause)).strip(), *_behind(cause)])),
        "stack": "\n".join("    at %s:%d %s" % (f.filename, f.lineno or 0, f.name) for f in reversed(own or frames[-1:])),
    }
    if isinstance(cause, SyntaxError) and cause.filename:
        said.update({"file": cause.filename, "line": cause.lineno or 1, "stack": ""})
    elif own:
        said.update({"file": own[-1].filename, "line": own[-1].lineno or 1})
    return said


def _is_foreign(path):
    parts = path.replace("\\", "/")
    return path.startswith("<") or "/site-packages/" in parts or parts.startswith(STANDARD)


def _output(report):
    parts = [(title, text) for title, text in report.sections if text.strip()]
    return {"output": _text("\n".join(text.rstrip() for _, text in parts))} if parts else {}


def pytest_configure(config):
    global _root
    _root = str(config.rootpath if hasattr(config, "rootpath") else config.rootdir)
    if not hasattr(config, "workerinput"):
        _emit({"event": "begin", "runner": "pytest", "version": pytest.__version__})


def _explain_test(report, excinfo):
    if excinfo is not None and report.failed:
        # Plain values, so that a worker of pytest-xdist can hand them on.
        report.symposium_frames = _frames(excinfo)
        report.symposium_causes = _behind(excinfo.value)


def _explain_loading(report):
    excinfo = getattr(getattr(report, "call", None), "excinfo", None)
    wrapped = isinstance(getattr(excinfo, "value", None), pytest.Collector.CollectError)
    cause = excinfo.value.__cause__ if wrapped else None
    if report.failed and cause is not None:
        report.symposium_loading = _loading(cause)
    elif report.failed and excinfo is not None:
        report.symposium_frames = _frames(excinfo)
        report.symposium_causes = _behind(excinfo.value)


# pluggy warns of this plugin if another one raises inside of an old-style hook. Versions before 1.2 have no other style.
if "wrapper" in inspect.signature(pytest.hookimpl).parameters:

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(item, call):
        report = yield
        _explain_test(report, call.excinfo)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(collector):
        report = yield
        _explain_loading(report)
        return report

else:

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item, call):
        outcome = yield
        _explain_test(outcome.get_result(), call.excinfo)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(collector):
        outcome = yield
        _explain_loading(outcome.get_result())


def pytest_runtest_logstart(nodeid, location):
    global _has_begun
    _has_begun = True
    _emit({"event": "start", "name": nodeid, "file": location[0]})


def _subtest(report):
    """What tells a part of a test from its others; None for a whole one, as pytest counts them."""
    context = getattr(report, "context", None)
    if context is None:
        return None
    values = ["%s=%r" % pair for pair in getattr(context, "kwargs", {}).items()]
    return " ".join(([str(context.msg)] if getattr(context, "msg", None) else []) + values)


def pytest_runtest_logreport(report):
    base = {"name": report.nodeid, "file": report.location[0]}
    part = _subtest(report)
    if part is not None:
        if not report.failed:
            return
        base["name"] = "%s (%s)" % (report.nodeid, part)
    if report.failed:
        # A worker that crashed says "???".
        kind = "hook" if report.when in ("setup", "teardown") else "test"
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
        # pytest-rerunfailures counts the attempts.
        if getattr(report, "rerun", 0) > 0:
            _emit({"event": "notice", "text": "flaky: %s passed at attempt %d" % (report.nodeid, report.rerun + 1)})


def pytest_collectreport(report):
    global _is_broken
    if report.failed:
        _is_broken = True
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
        count = getattr(session, "testscollected", 0)
        if _is_broken and not _has_begun and count and not session.config.option.collectonly:
            _emit({"event": "notice", "text": "No test ran, as not all files load: %d %s not run." % (count, "was" if count == 1 else "were")})
        _emit({"event": "end"})
