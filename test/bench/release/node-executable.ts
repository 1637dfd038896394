import { build } from "esbuild";
import { createReadStream } from "node:fs";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { conductorProgram } from "../../support/conductor-command.js";
import { otherNode } from "./other-node.js";
import { must, releaseCache, timeOf } from "./packages.js";

/** The first line of Node that makes an executable of a module by itself. */
const version = "26.10.0";

/** Node's own single executable with the released command in it, which nobody ships. Throws `NotMade`. */
export async function nodeExecutable(): Promise<string> {
  const folder = join(releaseCache, `sea-${version}`);
  const file = join(folder, "symposium-acp-agent");
  if ((await timeOf(file)) >= (await timeOf(conductorProgram))) return file;
  const node = await otherNode(version);
  const staging = `${folder}.${process.pid}`;
  await mkdir(staging, { recursive: true });
  try {
    // Nothing but one script can be inside.
    await build({
      entryPoints: [conductorProgram.replace(/\.mjs$/, ".cjs")],
      outfile: join(staging, "main.cjs"),
      bundle: true,
      format: "cjs",
      platform: "node",
      minify: true,
      legalComments: "none",
      logLevel: "warning",
      tsconfigRaw: {},
    });
    const options = { disableExperimentalSEAWarning: true, useCodeCache: true };
    const config = { main: "main.cjs", output: "symposium-acp-agent", ...options };
    await writeFile(join(staging, "sea.json"), JSON.stringify(config));
    await must([node, "--build-sea", "sea.json"], staging);
    await chmod(join(staging, "symposium-acp-agent"), 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return file;
}

/** How many bytes the file has in an archive as we write them. */
export async function gzippedBytes(file: string): Promise<number> {
  let bytes = 0;
  await pipeline(createReadStream(file), createGzip({ level: 9 }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) bytes += chunk.length;
  });
  return bytes;
}
