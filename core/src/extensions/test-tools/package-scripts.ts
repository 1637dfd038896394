/** Programs that run the scripts of a monorepo's packages. */
const ofPackages = /^(?:(?:npx|pnpm|pnpm exec|yarn|bunx|bun)\s+)?(?:turbo|nx|lerna|rush|moon|wsrun|ultra)\s/;
/** Package managers that are told to do it in several packages. */
const recursive =
  /^(?:pnpm\b.*\s(?:-r|--recursive|--filter\S*|-F)(?:\s|$)|npm\b.*\s(?:--workspaces?|-ws|-w)(?:[\s=]|$)|yarn\s+workspaces?\s|bun\b.*\s--filter)/;

/** Whether a test script does nothing itself but run those of packages. */
export function runsPackageScripts(script: string): boolean {
  const isOne = !/&&|\|\||[;|]/.test(script);
  return isOne && (ofPackages.test(script.trim()) || recursive.test(script.trim()));
}

/** What test scripts of packages run. */
const ofScripts: ReadonlySet<string> = new Set(["vitest", "jest", "mocha", "playwright", "node", "bun", "script"]);

interface Runner {
  readonly name: string;
  readonly folder: string;
  readonly why: string;
  readonly runsPackages?: boolean;
}

interface Runs<R> {
  readonly runners: readonly R[];
  /** For people: what was left out. */
  readonly notes: readonly string[];
}

/**
 * The runners without those that would run others of them again: the root of a monorepo of pnpm, turbo, nx and the like,
 * whose packages have runners of their own.
 */
export function eachOnce<R extends Runner>(runners: readonly R[]): Runs<R> {
  const isRepeated = ({ folder, runsPackages }: Runner): boolean =>
    runsPackages === true && runners.some((other) => ofScripts.has(other.name) && isBelow(other.folder, folder));
  return {
    runners: runners.filter((runner) => !isRepeated(runner)),
    notes: runners
      .filter(isRepeated)
      .map(({ folder, why }) => `${why}; it was not run in ${folder}, its packages were`),
  };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
}
