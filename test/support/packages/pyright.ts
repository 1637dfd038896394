/** The language server for Python. */
export const pyright = {
  package: "pyright",
  version: "1.1.414",
  command: "pyright-langserver",
  nodeMajor: 20,
} as const;
