// Mocha's spec reporter, which also leaves the counts of the run and what failed in a file.
const { writeFileSync } = require("node:fs");
const { reporters, Runner } = require("mocha");

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failed = [];
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      failed.push({ title: test.fullTitle(), error: error.stack ?? String(error.message ?? error) });
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats;
      writeFileSync(options.reporterOption.output, JSON.stringify({ passes, failures, pending, failed }));
    });
  }
};
