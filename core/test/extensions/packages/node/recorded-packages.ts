import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** Reads the recorded output of a package manager for real projects. */
export function recordedPackages(name: string): unknown {
  return JSON.parse(read(`${name}.json`).toString("utf8"));
}

/** Reads a compressed recording. */
export function compressedPackages(name: string): unknown {
  return JSON.parse(gunzipSync(read(`${name}.json.gz`)).toString("utf8"));
}

function read(file: string): Buffer {
  return readFileSync(
    fileURLToPath(new URL(`../../../../../test/extensions/packages/node/recorded/${file}`, import.meta.url)),
  );
}
