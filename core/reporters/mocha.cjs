// A reporter for Mocha, beside its usual one, which writes for people.
const { emit, fault, flaky, text } = require("./events.cjs");

module.exports = class SymposiumReporter {
  constructor(runner, options) {
    let output = "";
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write;
      stream.write = function (chunk, ...rest) {
        if (output.length < 100_000) output += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
        return write.call(this, chunk, ...rest);
      };
    }
    const base = (test) => ({ name: test.fullTitle(), file: test.file ?? test.parent?.file });
    emit({ event: "begin", runner: "mocha" });
    runner.on("test", (test) => {
      output = "";
      emit({ event: "start", ...base(test) });
    });
    runner.on("hook", () => (output = ""));
    runner.on("pass", (test) => {
      emit({ event: "pass", ...base(test) });
      flaky(test.fullTitle(), test.currentRetry());
    });
    runner.on("pending", (test) => emit({ event: "skip", ...base(test) }));
    runner.on("fail", (test, error) => {
      emit({
        event: "fault",
        kind: test.type === "hook" ? "hook" : "test",
        ...base(test),
        ...fault(error),
        output: text(output || undefined),
      });
    });
    // Recent versions of Mocha pass over what is rejected during the tests, and hand it to whoever listens.
    const rejected = (reason) => {
      const { message, stack } = fault(reason);
      const at = stack.split("\n").find((line) => /^\s*at .*\d+\)?$/.test(line));
      emit({ event: "notice", text: `Unhandled rejection: ${message}${at === undefined ? "" : ` ${at.trim()}`}` });
    };
    // Only where Mocha listens itself, not in its global set-up nor before Mocha 8.2: a listener keeps Node from failing the run.
    runner.on("start", () => {
      const { unhandled } = runner;
      if (process.listeners("unhandledRejection").includes(unhandled)) process.on("unhandledRejection", rejected);
    });
    runner.on("end", () => {
      process.off("unhandledRejection", rejected);
      emit({ event: "end" });
    });
    // Behind ours: what it writes of a test is not the test's.
    const usual = usualReporter();
    if (usual) new usual(runner, options);
  }
};

/** Mocha's own, of the very Mocha that runs. */
function usualReporter() {
  try {
    return require(require.resolve("mocha", { paths: [process.argv[1] ?? "", process.cwd()] })).reporters.Spec;
  } catch {
    return undefined;
  }
}
