import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Modules of Node that take milliseconds to load, and that most starts do not use before they have answered. */
const slowToLoad = /^node:(?:child_process|crypto|fs\/promises|http|https|readline|zlib)$/;

/** Has modules of Node that are slow to load loaded when something of theirs is first used. */
export function lateBuiltin(build) {
  build.onResolve({ filter: slowToLoad }, ({ path, namespace }) =>
    namespace === "late-builtin" ? { path, external: true } : { path, namespace: "late-builtin" },
  );
  build.onLoad({ filter: /./, namespace: "late-builtin" }, ({ path }) => {
    // Names that the oldest Node lacks are undefined there, as they would be without this.
    const members = Object.keys(require(path)).map((name) => `get ${name}() { return builtin().${name}; }`);
    return {
      contents: `let loaded;\nconst builtin = () => (loaded ??= require("${path}"));\nmodule.exports = { ${members.join(", ")} };`,
    };
  });
}
