import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { repositoryPath } from "../release/identity.mjs";
import { root } from "../set-up.mjs";
import { loadExpressions } from "./expressions.mjs";
import { runJob } from "./job-run.mjs";
import { combinationsOf, needsOf, orderOf, reasonAgainst } from "./plan.mjs";

const standIn = fileURLToPath(new URL("gh.mjs", import.meta.url));

/**
 * Runs a workflow's file on this machine and returns its jobs in order, as `{ name, result, reason, steps }`. `result` is "success",
 * "failure", "skipped" or "not run". Nothing is published: `gh` is a stand-in that keeps releases in `releases`, no secret has a value,
 * and jobs in an environment are not run. Later jobs treat a job that is not run as successful.
 *
 * Options:
 * - `tag`: runs the workflow for this tag instead of the branch main
 * - `jobs`: the only jobs to run
 * - `inputs`: inputs of a workflow that others call
 * - `artifacts`: folders by name that earlier jobs would have uploaded
 * - `repository`: the checked-out folder
 * - `say`: called for each job and step as it ends
 * - `rehearsal`: lets jobs in an environment publish to its stand-ins
 * - `caller`: permissions of the job that calls this workflow
 */
export async function runWorkflow(file, options = {}) {
  const { tag, jobs: wanted, inputs = {}, repository = root, say = () => undefined, signal } = options;
  const workflow = parse(await readFile(file, "utf8"));
  const unknown = wanted?.find((name) => !(name in workflow.jobs));
  if (unknown !== undefined) throw new Error(`There is no job "${unknown}": ${Object.keys(workflow.jobs).join(", ")}.`);
  const { rehearsal, caller } = options;
  const contexts = { github: githubContext(workflow, tag), inputs: withDefaults(workflow, inputs), needs: {} };
  Object.assign(contexts, { secrets: rehearsal?.secrets ?? {}, vars: rehearsal?.vars ?? {} });
  const permissions = workflow.permissions ?? {};
  if (caller !== undefined) for (const job of Object.values(workflow.jobs)) refuseMore(job.permissions ?? {}, caller);
  const expressions = await loadExpressions();
  const folder = await mkdtemp(join(tmpdir(), "symposium-workflow-"));
  const run = {
    folder,
    repository,
    say,
    signal,
    permissions,
    rehearsal,
    env: workflow.env,
    defaults: workflow.defaults?.run,
    artifacts: options.artifacts ?? join(folder, "artifacts"),
    system: systemVariables(options.releases ?? folder),
    path: [await placeStandIn(folder), ...pathWithoutOurs()],
  };
  const done = [];
  try {
    await mkdir(run.artifacts, { recursive: true });
    for (const name of orderOf(workflow.jobs)) await runAll(name, workflow.jobs[name]);
    return done;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }

  async function runAll(name, job) {
    const needs = Object.fromEntries(needsOf(job).map((needed) => [needed, contexts.needs[needed]]));
    const results = Object.values(needs).map(({ result }) => result);
    const inside = { ...contexts, needs, hasFailed: results.some((result) => result === "failure") };
    const isSkipped = results.includes("skipped") && !/always\s*\(/.test(job.if ?? "");
    let records;
    if (wanted !== undefined && !wanted.includes(name))
      records = [{ name, result: "not run", reason: "it was not asked for" }];
    else if (isSkipped || !expressions.isMet(job.if, inside)) records = [{ name, result: "skipped" }];
    else records = await runCombinations(name, job, inside);
    for (const record of records) if (record.steps === undefined) say({ ...record, isJob: true, state: record.result });
    done.push(...records);
    const worst = ["failure", "success", "skipped"].find((result) =>
      records.some((record) => record.result === result),
    );
    contexts.needs[name] = {
      result: worst ?? "success",
      outputs: Object.assign({}, ...records.map((record) => record.outputs)),
    };
  }

  async function runCombinations(name, job, inside) {
    const records = [];
    for (const matrix of combinationsOf(expressions.fill(job.strategy?.matrix ?? {}, inside))) {
      const all = { ...inside, hasFailed: false, matrix };
      const values = Object.values(matrix).filter((value) => typeof value !== "object");
      const title = values.length === 0 ? name : `${name} (${values.join(", ")})`;
      const { uses, container, services, environment } = job;
      const place = { uses, container, services, environment, "runs-on": job["runs-on"] };
      const reason = reasonAgainst(expressions.fill(place, all), { isRehearsal: rehearsal !== undefined });
      if (reason !== undefined) records.push({ name: title, result: "not run", reason });
      else {
        say({ isJob: true, state: "starts", name: title });
        const done = uses === undefined ? runJob({ name: title, job, contexts: all, expressions, run }) : call(job);
        records.push({ name: title, ...(await done) });
      }
    }
    return records;
  }

  /** Runs the workflow that a job calls. */
  async function call({ uses, permissions: own = permissions }) {
    const inside = { ...options, jobs: undefined, inputs: {}, artifacts: run.artifacts, caller: own };
    const records = await runWorkflow(join(repository, uses), inside);
    const hasFailed = records.some(({ result }) => result === "failure");
    return {
      result: hasFailed ? "failure" : "success",
      outputs: {},
      steps: records.flatMap(({ steps = [] }) => steps),
    };
  }
}

function refuseMore(permissions, caller) {
  const more = Object.entries(permissions).find(([name, level]) => level === "write" && caller[name] !== "write");
  if (more !== undefined) throw new Error(`The caller lets this workflow have no ${more.join(": ")}.`);
}

function githubContext({ on }, tag) {
  const isTag = tag !== undefined;
  const byHand = Object.hasOwn(Object(on), "workflow_dispatch") ? "workflow_dispatch" : "push";
  // Our callable workflows are called when a release is published.
  const byTag = Object.hasOwn(Object(on), "workflow_call") ? "release" : "push";
  return {
    event_name: isTag ? byTag : byHand,
    ref: isTag ? `refs/tags/${tag}` : "refs/heads/main",
    ref_name: tag ?? "main",
    ref_type: isTag ? "tag" : "branch",
    repository: repositoryPath,
    server_url: "https://github.com",
    token: "",
    event: { release: { tag_name: tag ?? "" } },
  };
}

function withDefaults({ on }, given) {
  const declared = on?.workflow_call?.inputs ?? on?.workflow_dispatch?.inputs ?? {};
  const missing = Object.keys(declared).filter((name) => declared[name].required === true && !(name in given));
  if (missing.length > 0) throw new Error(`These inputs are required: ${missing.join(", ")}.`);
  const entries = Object.entries(declared).map(([name, { type, default: fallback }]) => {
    const value = given[name] ?? fallback ?? "";
    return [name, type === "boolean" ? String(value) === "true" : value];
  });
  return Object.fromEntries(entries);
}

/** Returns variables that a fresh machine would have as well: none of npm's own run, and no tokens. */
function systemVariables(releases) {
  const ours =
    /^(?:npm_|NODE_OPTIONS$|MOCHA|INIT_CWD$|GITHUB_|RUNNER_|SYMPOSIUM_|.*(?:TOKEN|SECRET|PASSWORD|API_?KEY|_PAT)$)/i;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name) && name !== "PATH");
  return { ...Object.fromEntries(kept), GH_RELEASES: releases };
}

function pathWithoutOurs() {
  const isOurs = (place) => place.split(sep).includes("node_modules");
  return (process.env.PATH ?? "").split(delimiter).filter((place) => place !== "" && !isOurs(place));
}

async function placeStandIn(folder) {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "gh"), `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`);
  await chmod(join(bin, "gh"), 0o755);
  return bin;
}
