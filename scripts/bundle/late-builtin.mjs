import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Modules of Node that take milliseconds to load, and that most starts do not use before they have answered. */
const slowToLoad = /^node:(?:child_process|crypto|fs\/promises|http|https|readline|zlib)$/;

/** esbuild's names for the two ways to load a module. */
const forms = { import: "import-statement", require: "require-call" };

/**
 * Loads slow Node modules only when one of their members is first used. When esbuild splits a source into modules, it hides the `require`
 * calls of CommonJS packages from later builds. The first build must therefore handle these calls.
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
