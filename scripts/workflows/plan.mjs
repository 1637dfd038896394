// Plans which jobs of a workflow run, and in which order. Runs nothing.

/** The names of the jobs, each after those that it needs. Throws where they need each other. */
export function orderOf(jobs) {
  const order = [];
  const visit = (name, path) => {
    if (path.includes(name)) throw new Error(`These jobs need each other: ${[...path, name].join(" -> ")}.`);
    if (jobs[name] === undefined) throw new Error(`There is no job "${name}", which "${path.at(-1)}" needs.`);
    if (order.includes(name)) return;
    for (const needed of needsOf(jobs[name])) visit(needed, [...path, name]);
    order.push(name);
  };
  for (const name of Object.keys(jobs)) visit(name, []);
  return order;
}

/** The names of the jobs that a job needs. */
export function needsOf({ needs = [] }) {
  return Array.isArray(needs) ? needs : [needs];
}

/** The combinations of a job's matrix, as its documentation defines them; one empty combination where it has none. */
export function combinationsOf({ include = [], exclude = [], ...lists } = {}) {
  const fits = (entry, combination) =>
    Object.entries(entry).every(([name, value]) => !(name in combination) || combination[name] === value);
  const all = Object.entries(lists).reduce(
    (combinations, [name, values]) =>
      combinations.flatMap((combination) => values.map((value) => ({ ...combination, [name]: value }))),
    [{}],
  );
  const isExcluded = (combination) =>
    exclude.some((entry) => Object.entries(entry).every(([name, value]) => combination[name] === value));
  const kept = Object.keys(lists).length === 0 ? [] : all.filter((combination) => !isExcluded(combination));
  const originals = kept.map((combination) => ({ ...combination }));
  for (const entry of include) {
    const extended = originals.flatMap((original, index) => (fits(entry, original) ? [index] : []));
    if (extended.length === 0) kept.push({ ...entry });
    for (const index of extended) Object.assign(kept[index], entry);
  }
  return kept.length === 0 ? [{}] : kept;
}

/**
 * Why a job, with its expressions filled in, does not run on a Linux machine of `arch`; undefined when it does. A rehearsal
 * runs jobs that publish, and workflows of the repository that others call.
 */
export function reasonAgainst(job, { arch = process.arch, isRehearsal = false } = {}) {
  if (isRehearsal && job.uses?.startsWith("./") === true) return undefined;
  if (job.uses !== undefined) return `it calls ${job.uses}`;
  if (job.container !== undefined || job.services !== undefined) return "it wants a container";
  if (job.environment !== undefined && !isRehearsal)
    return `it publishes, in the environment ${nameOf(job.environment)}`;
  const labels = [job["runs-on"]].flat();
  const isHere = labels.every((label) => /^ubuntu-[\w.]+$/.test(label) && /-arm$/.test(label) === (arch === "arm64"));
  return isHere ? undefined : `it needs ${labels.join(", ")}`;
}

/** The name of a job's environment, undefined without one. */
export function nameOf(environment) {
  return typeof environment === "object" ? environment.name : environment;
}
