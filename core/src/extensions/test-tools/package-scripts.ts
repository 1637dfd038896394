/** Programs that run the scripts of a monorepo's packages. */
const ofPackages = /^(?:(?:npx|pnpm|pnpm exec|yarn|bunx|bun)\s+)?(?:turbo|nx|lerna|rush|moon|wsrun|ultra)\s/;
/** Package manager commands that run scripts in several packages. */
const recursive =
  /^(?:pnpm\b.*\s(?:-r|--recursive|--filter\S*|-F)(?:\s|$)|npm\b.*\s(?:--workspaces?|-ws|-w)(?:[\s=]|$)|yarn\s+workspaces?\s|bun\b.*\s--filter)/;

/** Whether a test script does nothing but run the scripts of other packages. */
export function runsPackageScripts(script: string): boolean {
  const isOne = !/&&|\|\||[;|]/.test(script);
  return isOne && (ofPackages.test(script.trim()) || recursive.test(script.trim()));
}

/** Test runners that the test scripts of packages use. */
const ofScripts: ReadonlySet<string> = new Set(["vitest", "jest", "mocha", "playwright", "node", "bun", "script"]);

interface Runner {
  readonly name: string;
  readonly folder: string;
  readonly why: string;
  readonly runsPackages?: boolean;
}

interface Runs<R> {
  readonly runners: readonly R[];
  /** Sentences about test runners that were omitted. */
  readonly notes: readonly string[];
}

/**
 * Removes test runners whose tests another runner runs too: those at the root of a monorepo (pnpm, turbo, nx and others) if its packages
 * have their own runners.
 */
export function eachOnce<R extends Runner>(runners: readonly R[]): Runs<R> {
  const isRepeated = ({ folder, runsPackages }: Runner): boolean =>
    runsPackages === true && runners.some((other) => ofScripts.has(other.name) && isBelow(other.folder, folder));
  return {
    runners: runners.filter((runner) => !isRepeated(runner)),
    notes: runners
      .filter(isRepeated)
      .map(({ folder, why }) => `${why}; it was run in the packages of ${folder} instead`),
  };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
}
