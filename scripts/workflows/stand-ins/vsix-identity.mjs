import yauzl from "yauzl";

/** The identity in the bytes of a vsix: `{ publisher, name, version, target, displayName }`. */
export async function vsixIdentity(bytes) {
  const zip = await yauzl.fromBufferPromise(bytes);
  const texts = new Map();
  for await (const entry of zip.eachEntry()) {
    if (!["extension/package.json", "extension.vsixmanifest"].includes(entry.fileName)) continue;
    const chunks = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    texts.set(entry.fileName, Buffer.concat(chunks).toString("utf8"));
  }
  const { publisher, name, version, displayName } = JSON.parse(texts.get("extension/package.json"));
  const [, target] = /TargetPlatform="([^"]+)"/.exec(texts.get("extension.vsixmanifest")) ?? [];
  return { publisher, name, version, target, displayName };
}
