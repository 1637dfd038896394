import { createInterface } from "node:readline";
import { TabArchive } from "../../../src/features/history/tab-archive.js";
import { Logger } from "../../../src/features/log/logger.js";

/* A window's process over the storage STORAGE: each line on its input names a tab that it claims, and is answered. */
const [storage = ""] = process.argv.slice(2);
const archive = new TabArchive(storage, new Logger({ write: () => undefined }));
for await (const tabId of createInterface({ input: process.stdin })) {
  process.stdout.write(`${(await archive.claim(tabId)) ? "ours" : "other"}\n`);
}
