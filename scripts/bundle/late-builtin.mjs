import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Modules of Node that take milliseconds to load, and that most starts do not use before they have answered. */
const slowToLoad = /^node:(?:child_process|crypto|fs\/promises|http|https|readline|zlib)$/;

/** What esbuild calls the two forms of loading a module. */
const forms = { import: "import-statement", require: "require-call" };

/**
 * Has modules of Node that are slow to load loaded when something of theirs is first used. Where a source is split into
 * modules, esbuild hides the calls of `require` in CommonJS packages from the builds after it: these come first.
 */
export function lateBuiltin(build, form = "import") {
  build.onResolve({ filter: slowToLoad }, ({ path, namespace, kind }) => {
    if (namespace === "late-builtin") return { path, external: true };
    return kind === forms[form] ? { path, namespace: "late-builtin" } : undefined;
  });
  build.onLoad({ filter: /./, namespace: "late-builtin" }, ({ path }) => {
    // Names that the oldest Node lacks are undefined there, as they would be without this.
    const members = Object.keys(require(path)).map((name) => `get ${name}() { return builtin().${name}; }`);
    return {
      contents: `let loaded;\nconst builtin = () => (loaded ??= require("${path}"));\nmodule.exports = { ${members.join(", ")} };`,
    };
  });
}
