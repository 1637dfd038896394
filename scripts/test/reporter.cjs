// Mocha's spec reporter, which also tells the process that runs the suites what begins and how it ends (see suite-process.mjs).
const { reporters, Runner } = require("mocha");

const handleDelayMs = 5_000;

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const events = Runner.constants;
    const tell = (event) => process.send?.(event, undefined, undefined, () => undefined);
    runner.on(events.EVENT_HOOK_BEGIN, (hook) => tell({ type: "begin", title: hook.fullTitle() }));
    runner.on(events.EVENT_TEST_BEGIN, (test) => tell({ type: "begin", title: test.fullTitle() }));
    runner.on(events.EVENT_TEST_PASS, (test) => tell({ type: "passed", title: test.fullTitle() }));
    runner.on(events.EVENT_TEST_PENDING, (test) => tell({ type: "skipped", title: test.fullTitle() }));
    runner.on(events.EVENT_TEST_FAIL, (test, error) => {
      const { file } = test;
      tell({ type: "failed", title: test.fullTitle(), error: error.stack ?? String(error.message ?? error), file });
    });
    runner.once(events.EVENT_RUN_END, () => {
      tell({ type: "ended" });
      // Runs only where something keeps this process from ending, and says what.
      const handles = () => tell({ type: "held", by: process.getActiveResourcesInfo() });
      setTimeout(handles, handleDelayMs).unref();
    });
  }
};
