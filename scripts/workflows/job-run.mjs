import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { localAction, reasonAgainstScript } from "./actions.mjs";
import { readComposite } from "./composite.mjs";
import { nameOf } from "./plan.mjs";
import { runScript } from "./steps.mjs";

/**
 * Runs the steps of one job in order, in one combination of its matrix. Returns `{ result, outputs, steps }`. A step is
 * `{ name, state, reason }`; its `state` is "ok", "failed", "skipped" or "not run". As on GitHub, a step after a failed one runs only if
 * its `if` requests that.
 */
export async function runJob({ name, job, contexts, expressions, run }) {
  const permissions = job.permissions ?? run.permissions;
  const temp = await mkdtemp(join(run.folder, "job-"));
  const workspace = join(temp, "workspace");
  await mkdir(workspace);
  const state = { hasFailed: false, steps: {}, env: {}, path: [], inputs: contexts.inputs, action: undefined };
  const all = () => ({
    ...contexts,
    inputs: state.inputs,
    env: state.env,
    steps: state.steps,
    hasFailed: state.hasFailed,
    job: { status: state.hasFailed ? "failure" : "success" },
    runner: { os: "Linux", arch: process.arch === "arm64" ? "ARM64" : "X64", temp, name: "local" },
    github: { ...contexts.github, workspace, action_path: state.action },
  });
  state.env = textsOf(expressions.fill({ ...run.env, ...job.env }, all()));
  const outside = run.rehearsal?.variables({
    ...{ permissions, environment: nameOf(expressions.fill(job.environment, all())), ref: contexts.github.ref },
  });
  const limit = AbortSignal.timeout((job["timeout-minutes"] ?? 360) * 60_000);
  const signal = run.signal === undefined ? limit : AbortSignal.any([limit, run.signal]);
  const steps = [];
  try {
    await runSteps(job.steps);
    const outputs = expressions.fill(job.outputs ?? {}, all());
    return { result: state.hasFailed ? "failure" : "success", outputs, steps };
  } finally {
    await rm(temp, { recursive: true, force: true });
  }

  async function runSteps(list) {
    for (const [index, step] of list.entries()) {
      const { outputs = {}, ...done } = await runStep(step);
      steps.push({ name: nameOfStep(step, expressions, all()), ...done });
      if (done.state === "failed" && step["continue-on-error"] !== true) state.hasFailed = true;
      const outcome = { ok: "success", failed: "failure", skipped: "skipped", "not run": "success" }[done.state];
      state.steps[step.id ?? `step-${index}`] = { outputs, outcome, conclusion: outcome };
      run.say({ isJob: false, ...steps.at(-1) });
    }
  }

  async function runStep(step) {
    try {
      if (!expressions.isMet(step.if, all())) return { state: "skipped" };
      failIfTold(step, "before");
      const done = step.uses === undefined ? await runWords(step) : await runAction(step);
      failIfTold(step, "after");
      return done;
    } catch (error) {
      return { state: "failed", reason: error.message };
    }
  }

  function failIfTold(step, when) {
    const told = { job: name, step: nameOfStep(step, expressions, all()), when };
    if (run.rehearsal?.failure(told)) throw new Error(`it was told to fail ${when} it ran`);
  }

  /** Runs the steps of an action of the checked-out repository, which see only its inputs and each other's outputs. */
  async function runOwnAction(step) {
    const action = join(workspace, step.uses);
    const given = textsOf(expressions.fill(step.with ?? {}, all()));
    const { steps: inner, inputs, outputs } = await readComposite(action, given);
    const { steps: before, hasFailed, inputs: outerInputs, action: outerAction, env } = state;
    const own = textsOf(expressions.fill(step.env ?? {}, all()));
    Object.assign(state, { steps: {}, hasFailed: false, inputs, action, env: { ...env, ...own } });
    await runSteps(inner);
    const done = { state: state.hasFailed ? "failed" : "ok", outputs: expressions.fill(outputs, all()) };
    Object.assign(state, { steps: before, hasFailed, inputs: outerInputs, action: outerAction, env });
    return done.state === "ok" ? done : { ...done, reason: "a step of it failed" };
  }

  async function runAction(step) {
    if (step.uses.startsWith("./")) return runOwnAction(step);
    const { run: act, reason } = localAction(step.uses, run.rehearsal?.actions);
    if (act === undefined) return { state: "not run", reason };
    await act(expressions.fill(step.with ?? {}, all()), {
      workspace,
      repository: run.repository,
      artifacts: run.artifacts,
      permissions,
      addPath: (folder) => state.path.unshift(folder),
    });
    return { state: "ok" };
  }

  async function runWords(step) {
    const defaults = { ...run.defaults, ...job.defaults?.run };
    const own = textsOf(expressions.fill(step.env ?? {}, all()));
    const inside = { ...all(), env: { ...state.env, ...own } };
    const folder = expressions.fill(step["working-directory"] ?? defaults["working-directory"] ?? ".", inside);
    const script = String(expressions.fill(step.run, inside));
    const reason = reasonAgainstScript(script, run.rehearsal !== undefined);
    if (reason !== undefined) return { state: "not run", reason };
    const { failure, output, env, path } = await runScript({
      script,
      shell: step.shell ?? defaults.shell,
      folder: join(workspace, folder),
      env: { ...run.system, ...runnerVariables(all()), ...outside, ...state.env, ...own, PATH: pathOf() },
      temp,
      signal,
    });
    Object.assign(state.env, env);
    state.path.unshift(...path);
    return failure === undefined
      ? { state: "ok", outputs: output }
      : { state: "failed", reason: failure, outputs: output };
  }

  function pathOf() {
    return [...state.path, ...run.path].join(delimiter);
  }
}

function runnerVariables({ github, runner }) {
  return {
    CI: "true",
    RUNNER_OS: runner.os,
    RUNNER_ARCH: runner.arch,
    RUNNER_TEMP: runner.temp,
    GITHUB_WORKSPACE: github.workspace,
    GITHUB_REF: github.ref,
    GITHUB_REF_NAME: github.ref_name,
    GITHUB_REF_TYPE: github.ref_type,
    GITHUB_EVENT_NAME: github.event_name,
    GITHUB_REPOSITORY: github.repository,
    GITHUB_SERVER_URL: github.server_url,
  };
}

function nameOfStep(step, expressions, contexts) {
  const text = step.name ?? step.uses?.replace(/@.*$/, "") ?? String(step.run).trim().split("\n")[0];
  return String(expressions.fill(text, contexts));
}

function textsOf(values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value ?? "")]));
}
