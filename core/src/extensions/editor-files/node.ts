import { setTimeout as wait } from "node:timers/promises";
import { checkPath } from "../../base/safety/node/checked-path.js";
import type { EditorDisk } from "./editor-files.js";
import { loadUntrustedBytes } from "../../base/node/read-untrusted-file.js";

export const editorDisk: EditorDisk = {
  readText: async (path) => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(await loadUntrustedBytes(path));
    } catch {
      return undefined;
    }
  },
  realPath: async (path) => (await checkPath(path, path, [])).real,
  wait: (ms) => wait(ms),
};
