// The one table of what is released: every manifest and archive name derives from it, identity.mjs and the root version.
import { product } from "./identity.mjs";

/**
 * A row for each system that executables are built for, under the name that each consumer has for it. `registry` and
 * `zed` are absent where the consumer does not tell glibc from musl, and gets the glibc row.
 */
export const platforms = [
  row("darwin-arm64", { vsix: "darwin-arm64", registry: "darwin-aarch64", zed: "darwin-aarch64" }),
  row("darwin-x64", { vsix: "darwin-x64", registry: "darwin-x86_64", zed: "darwin-x86_64" }),
  row("linux-x64", { vsix: "linux-x64", registry: "linux-x86_64", zed: "linux-x86_64" }),
  row("linux-arm64", { vsix: "linux-arm64", registry: "linux-aarch64", zed: "linux-aarch64" }),
  row("linux-x64-musl", { vsix: "alpine-x64" }),
  row("linux-arm64-musl", { vsix: "alpine-arm64" }),
  row("windows-x64", { vsix: "win32-x64", registry: "windows-x86_64", zed: "windows-x86_64" }),
  row("windows-arm64", { vsix: "win32-arm64", registry: "windows-aarch64", zed: "windows-aarch64" }),
];

/** Returns the address of a row's archive, which exists once that version is released. */
export function archiveAddress(version, { archive }) {
  return `${product.repository}/releases/download/v${version}/${archive}`;
}

function row(name, consumers) {
  const isWindows = name.startsWith("windows");
  // Bun's other builds end at once on processors, and in virtual machines, without AVX2.
  const bun = `bun-${name.includes("x64") ? `${name}-baseline` : name}`;
  return {
    name,
    archive: `${product.id}-${name}.${isWindows ? "zip" : "tar.gz"}`,
    /** In the archive's root. */
    executable: isWindows ? `${product.command}.exe` : product.command,
    bun: { target: bun, package: bun.replace("arm64", "aarch64") },
    ...consumers,
  };
}
