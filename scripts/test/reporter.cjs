// Mocha's spec reporter, which also tells the process that runs the suites what begins and how it ends (see suite-process.mjs).
// It multiplies every test's limit by the slowness of the machine, including limits that a test sets itself.
const { Context, reporters, Runner } = require("mocha");

const handleDelayMs = 5_000;
const slowness = Math.max(1, Number(process.env.SYMPOSIUM_TEST_SLOWNESS) || 1);

const scaled = new WeakSet();
function scaleLimit(runnable) {
  if (scaled.has(runnable)) return;
  scaled.add(runnable);
  runnable.timeout(runnable.timeout() * slowness);
}

const { timeout } = Context.prototype;
Context.prototype.timeout = function (...given) {
  return timeout.apply(
    this,
    given.map((ms) => ms * slowness),
  );
};

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const events = Runner.constants;
    const tell = (event) => process.send?.(event, undefined, undefined, () => undefined);
    for (const event of [events.EVENT_HOOK_BEGIN, events.EVENT_TEST_BEGIN]) {
      runner.on(event, (runnable) => {
        scaleLimit(runnable);
        tell({ type: "begin", title: runnable.fullTitle() });
      });
    }
    runner.on(events.EVENT_TEST_PASS, (test) => tell({ type: "passed", title: test.fullTitle() }));
    runner.on(events.EVENT_TEST_PENDING, (test) => tell({ type: "skipped", title: test.fullTitle() }));
    runner.on(events.EVENT_TEST_FAIL, (test, error) => {
      const { file } = test;
      tell({ type: "failed", title: test.fullTitle(), error: error.stack ?? String(error.message ?? error), file });
    });
    runner.once(events.EVENT_RUN_END, () => {
      tell({ type: "ended" });
      // Runs only if something keeps this process from ending, and reports it.
      const handles = () => tell({ type: "held", by: process.getActiveResourcesInfo() });
      setTimeout(handles, handleDelayMs).unref();
    });
  }
};
