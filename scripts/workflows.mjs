// npm run workflows [-- NAME.yml ...] [--job NAME ...] [--tag vX.Y.Z] [--input NAME=VALUE ...] [--repository FOLDER]
// Runs the steps of .github/workflows on this machine, as far as they can run here, in a clean clone of what is in the
// repository, committed or not. Nothing leaves the machine. Ends with 1 when a step failed. `release.yml` without a tag or
// jobs is a rehearsal of the next release, to registries on the loopback.
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureBundled, fail, root } from "./set-up.mjs";

const marks = { starts: "run", ok: "ok", failed: "FAILED", skipped: "skipped", "not run": "not run here" };
const text = { type: "string" };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    job: { ...text, multiple: true },
    input: { ...text, multiple: true, default: [] },
    tag: text,
    repository: text,
  },
});
const folder = join(root, ".github/workflows");
const all = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
const strange = positionals.find((name) => !all.includes(name));
if (strange !== undefined) fail(`"${strange}" is no workflow: ${all.join(", ")}.`);
ensureBundled();
const { runWorkflow } = await import("./workflows/workflow-run.mjs");
const { rehearseRelease } = await import("./workflows/rehearse-release.mjs");
const ending = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => ending.abort(new Error(`${name} came`)));

const summary = [];
for (const name of positionals.length > 0 ? positionals : all) summary.push(...(await run(name)));
console.log(`\n${summary.join("\n")}`);

async function run(name) {
  const lines = [`${name}`];
  const say = ({ isJob, state, name: what, reason }) => {
    const line = `${marks[state]}  ${what}${reason === undefined ? "" : `: ${reason}`}`;
    console.log(`[${name}] ${line}`);
    lines.push(`${isJob ? "  " : "      "}${line}`);
  };
  const inputs = Object.fromEntries(values.input.map((pair) => /^([^=]*)=?(.*)$/s.exec(pair).slice(1)));
  const repository = values.repository === undefined ? root : resolve(values.repository);
  const options = { inputs, repository, tag: values.tag, jobs: values.job, say, signal: ending.signal };
  try {
    const isRehearsal = name === "release.yml" && values.tag === undefined && values.job === undefined;
    const { jobs, isPublic } = isRehearsal
      ? await rehearseRelease(options)
      : { jobs: await runWorkflow(join(folder, name), options) };
    for (const [place, things] of Object.entries(isPublic ?? {}))
      lines.push(`  public  ${place}: ${things.join(", ")}`);
    if (jobs.some(({ result }) => result === "failure")) process.exitCode = 1;
  } catch (error) {
    // Asked for by its name, it has to run; else it is only not for this machine.
    const isAsked = positionals.length > 0;
    if (isAsked) process.exitCode = 1;
    say({ isJob: true, state: isAsked ? "failed" : "not run", name, reason: error.message });
  }
  return lines;
}
