// A reporter for Jest.
const { emit, fault, flaky, obsolete, text } = require("./events.cjs");

module.exports = class SymposiumReporter {
  onRunStart() {
    emit({ event: "begin", runner: "jest" });
  }

  onTestCaseStart(test, info) {
    emit({ event: "start", name: info.fullName, file: test.path });
  }

  onTestResult(_test, result) {
    const file = result.testFilePath;
    // Jest tells what was printed for each file alone.
    const output = text((result.console ?? []).map(({ message }) => message).join("\n") || undefined);
    let isTold = false;
    for (const test of result.testResults) {
      const base = { name: test.fullName, file };
      if (test.status === "passed") {
        emit({ event: "pass", ...base });
        flaky(test.fullName, (test.invocations ?? 1) - 1);
      } else if (test.status === "failed") {
        const [first = "", ...others] = test.failureMessages;
        emit({
          event: "fault",
          kind: "test",
          ...base,
          line: test.location?.line,
          ...parted(first),
          ...(isTold ? {} : { output }),
        });
        isTold = true;
        for (const message of others) emit({ event: "more", ...parted(message) });
      } else emit({ event: test.status === "todo" ? "todo" : "skip", ...base });
    }
    if (result.testExecError) {
      // Errors from a file's hooks have no message here, so use the file's failure message.
      const said = fault(result.testExecError);
      const told =
        said.message === ""
          ? parted((result.failureMessage ?? "").replace(/^\s*● Test suite failed to run\s*/, ""))
          : said;
      emit({ event: "fault", kind: "load", name: file, file, ...told, output });
    }
  }

  onRunComplete(_contexts, results) {
    if (results.wasInterrupted) emit({ event: "notice", text: "The run was interrupted." });
    obsolete(results.snapshot);
    if (results.runExecError) emit({ event: "fault", kind: "unhandled", name: "jest", ...fault(results.runExecError) });
    emit({ event: "end" });
  }
};

/** A failure is one text: message, difference, stack, and the same of its cause. */
function parted(message) {
  const [own, ...behind] = message.split(/\n\s*\[cause\]: /);
  const [cause = "", ...others] = behind;
  const said = fault({ message: withoutName(own) });
  const of = fault({ message: withoutName(cause) });
  // Thrown values that aren't errors, and timeouts, have a stack of Jest's own calls. The cause has the stack of their origin.
  const isRepeated = of.message === "" || of.message === said.message;
  const causes = behind.length === 0 ? {} : { cause: { message: [cause, ...others].join("\ncaused by: ") } };
  return isRepeated && others.length === 0
    ? { ...said, stack: of.stack === "" ? said.stack : of.stack }
    : fault({ message: withoutName(own), ...causes });
}

function withoutName(message) {
  return message.replace(/^(?:Error|AssertionError):(?: |(?=\n|$))/, "");
}
