/**
 * Folders that hold what tools make or fetch: neither watched nor searched for projects. Language servers read them by
 * themselves where they need them.
 */
const names: ReadonlySet<string> = new Set([
  ...[".git", ".hg", ".svn", ".jj"],
  ...["node_modules", "bower_components", "target", "dist", "out", "build", "vendor"],
  ...[".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".tox"],
  ...[".cache", ".next", ".nuxt", ".gradle", ".idea", ".symposium", "coverage"],
]);

/** Whether a folder of that name is left alone. */
export function isIgnoredFolder(name: string): boolean {
  return names.has(name);
}
