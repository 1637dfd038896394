import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { checkPath } from "../../safety/node/checked-path.js";
import type { EditorDisk } from "./editor-files.js";

/** The disk of this machine. */
export const editorDisk: EditorDisk = {
  readText: async (path) => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
    } catch {
      return undefined;
    }
  },
  realPath: async (path) => (await checkPath(path, path, [])).real,
  wait: (ms) => wait(ms),
};
