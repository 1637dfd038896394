// Files and texts that don't belong in a published package.

const strangeFiles = [
  /\.[cm]?tsx?$/,
  /\.(?:map|tsbuildinfo|orig|rej|pem|key|p12|pfx)$/,
  /(?:^|\/)(?:tests?|__tests__|fixtures|golden|node_modules|src|\.git|\.cache|\.vscode|test-output)(?:\/|$)/,
  /[.-](?:test|spec)\.[^/]+$/,
  /(?:^|\/)(?:\.env[^/]*|\.npmrc|tsconfig[^/]*|eslint[^/]*|package-lock\.json|bundled-inputs\.json)$/,
];
const strangeTexts = {
  "a path of somebody's machine":
    /(?<![\w$~.}-])\/(?:work|home|root|Users)\/[\w.-]+[\w./-]*|\b[A-Z]:\\+Users\\+[\w.-]+/g,
  "a link to a source map": /\/\/# sourceMappingURL=.*/g,
  "a private key": /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]{16}/g,
  "a token": new RegExp(
    [
      String.raw`\bgh[pousr]_[A-Za-z0-9]{36}\b`,
      String.raw`\bgithub_pat_[A-Za-z0-9_]{22,}\b`,
      String.raw`\bglpat-[\w-]{20,}\b`,
      String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
      String.raw`\bsk-(?:ant-|proj-|or-)?(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{32,}\b`,
      // The one in Amazon's own documentation, which the rules for traces know to be none.
      String.raw`\bAKIA(?!IOSFODNN7EXAMPLE\b)[A-Z0-9]{16}\b`,
      String.raw`\bAIza[\w-]{35}\b`,
      String.raw`\bxox[abps]-[\w-]{20,}\b`,
    ].join("|"),
    "g",
  ),
};

/**
 * Returns a sentence for each problem in a package. `files` are its contents by path. `secrets` are texts that must not be in it, such as
 * the folder that it was made in. `runtime` is the upstream program in an executable; its own texts aren't reported.
 */
export function strangeContents(files, { secrets = [], runtime } = {}) {
  const known = runtime === undefined ? new Set() : new Set(strangeTextsIn(runtime.toString("latin1")));
  return [...files].flatMap(([path, bytes]) => {
    const text = bytes.toString("latin1");
    return [
      ...(strangeFiles.some((pattern) => pattern.test(path)) ? [`${path} has no place there.`] : []),
      ...strangeTextsIn(text)
        .filter((found) => !known.has(found))
        .map((found) => `${path} has ${found}`),
      ...secrets.filter((secret) => text.includes(secret)).map(() => `${path} has what this machine keeps to itself.`),
    ];
  });
}

function strangeTextsIn(text) {
  const found = Object.entries(strangeTexts).flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(([match]) => `${kind}: ${match.slice(0, 80)}`),
  );
  return [...new Set(found)];
}
