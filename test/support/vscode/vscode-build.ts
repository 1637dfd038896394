/** A version of VS Code that the tests run: its server, as the npm package `code-server` carries it. */
export interface VsCodeBuild {
  /** VS Code's own version. */
  readonly version: string;
  readonly codeServer: string;
  /** The Node that its server runs on, from npm; the repository's own when absent. */
  readonly node?: string;
  /** Newer builds bring their own. Without it VS Code finds no files. */
  readonly ripgrep?: string;
  /** Versions from npm of packages that this build would fetch from a git server. */
  readonly fromNpm?: Readonly<Record<string, string>>;
}

/** The newest VS Code that the package registry has. */
export const newestVsCode: VsCodeBuild = { version: "1.139.1", codeServer: "4.139.1" };

/** The oldest VS Code that the extension's `engines` allows. */
export const oldestVsCode: VsCodeBuild = {
  version: "1.106.3",
  codeServer: "4.106.3",
  node: "22.23.3",
  ripgrep: "1.18.0",
  fromNpm: { "@parcel/watcher": "2.5.1" },
};
