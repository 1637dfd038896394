// Runs inside VS Code's extension host: every suite of this folder, by mocha. The results go to the file that
// SYMPOSIUM_HOST_REPORT names, since the host's console is not ours.
const { readdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const suites = join(__dirname, "../../dist-ts/host");

exports.run = async () => {
  const exported = require("mocha");
  // Seen from CommonJS its shape depends on the version of Node.
  const Mocha = exported.Mocha ?? exported.default ?? exported;
  const mocha = new Mocha({ timeout: 180_000, reporter: recorder(process.env.SYMPOSIUM_HOST_REPORT) });
  const only = process.env.SYMPOSIUM_HOST_SUITE ?? "";
  for (const file of readdirSync(suites, { recursive: true }).sort()) {
    if (file.endsWith(".test.cjs") && file.includes(only)) mocha.addFile(join(suites, file));
  }
  const failures = await new Promise((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed`);
};

/** A reporter that writes what became of each test to `path`. */
function recorder(path) {
  return class {
    constructor(runner) {
      const tests = [];
      const note = (state) => (test, failure) =>
        tests.push({ title: test.titlePath().join(" › "), state, durationMs: test.duration, error: failure?.stack });
      runner.on("pass", note("passed"));
      runner.on("fail", note("failed"));
      runner.on("pending", note("skipped"));
      runner.on("end", () => writeFileSync(path, JSON.stringify(tests)));
    }
  };
}
