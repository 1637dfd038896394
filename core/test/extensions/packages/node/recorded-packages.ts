import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** What a client of an ecosystem said of real projects, recorded. */
export function recordedPackages(name: string): unknown {
  return JSON.parse(read(`${name}.json`).toString("utf8"));
}

/** The same, of what is long. */
export function compressedPackages(name: string): unknown {
  return JSON.parse(gunzipSync(read(`${name}.json.gz`)).toString("utf8"));
}

function read(file: string): Buffer {
  return readFileSync(
    fileURLToPath(new URL(`../../../../../test/extensions/packages/node/recorded/${file}`, import.meta.url)),
  );
}
