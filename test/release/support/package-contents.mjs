import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { list } from "tar";
import yauzl from "yauzl";

/** The files of an archive (tar, zip, vsix) by their paths, or the file itself by its name where it is none. */
export async function contentsOfPackage(file) {
  if (/\.(?:vsix|zip)$/.test(file)) return zipContents(file);
  if (/\.(?:tgz|tar\.gz)$/.test(file)) return tarContents(file);
  return new Map([[basename(file), await readFile(file)]]);
}

async function tarContents(file) {
  const contents = new Map();
  const onReadEntry = (entry) => {
    const chunks = [];
    entry.on("data", (chunk) => chunks.push(chunk));
    entry.on("end", () => contents.set(entry.path, Buffer.concat(chunks)));
  };
  await list({ file, onReadEntry });
  return contents;
}

async function zipContents(file) {
  const zip = await yauzl.openPromise(file);
  const contents = new Map();
  for await (const entry of zip.eachEntry()) {
    const chunks = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    contents.set(entry.fileName, Buffer.concat(chunks));
  }
  return contents;
}
