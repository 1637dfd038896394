import { build } from "esbuild";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { repositoryRoot } from "../support/repository.js";
import type { PageLane } from "./page-lane.js";

const extension = join(repositoryRoot, "vscode-extension");
const peer = join(repositoryRoot, ".cache/peers/mynah-ui/node_modules/@aws/mynah-ui");

/** How the peer is installed: the bench does so for nobody. */
export const peerHint = "npm install --prefix .cache/peers/mynah-ui @aws/mynah-ui@4.39.0";

/** The chat view as it is released. */
export async function ourLane(): Promise<PageLane> {
  const files = new Map(await bundled({ feed: join(extension, "test/bench/symposium-page.ts") }));
  for (const name of ["chat.js", "chat.css", "codicon.ttf"])
    files.set(name, await readFile(join(extension, "dist/webview", name)));
  return { files, scripts: ["feed.js", "chat.js"], styles: ["chat.css"], scroller: ".transcript-scroller" };
}

/** @aws/mynah-ui, the view of the original; undefined where it is not installed. */
export async function peerLane(): Promise<(PageLane & { readonly version: string }) | undefined> {
  if (!existsSync(peer)) return undefined;
  const files = new Map(await bundled({ feed: join(extension, "test/bench/peer-page.ts") }));
  files.set("mynah.js", await readFile(join(peer, "dist/main.js")));
  const manifest: unknown = JSON.parse(await readFile(join(peer, "package.json"), "utf8"));
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  return {
    files,
    scripts: ["mynah.js", "feed.js"],
    styles: [],
    scroller: ".mynah-chat-items-container",
    version: String(version),
  };
}

async function bundled(entryPoints: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: { ...entryPoints },
    outdir: join(extension, "dist/webview"),
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "chrome138",
    legalComments: "none",
    logLevel: "warning",
    tsconfigRaw: {},
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}
