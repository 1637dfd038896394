import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { valid } from "semver";
import { messageOf } from "../../base/symposium-error.js";
import { pickNpmProgram } from "../../registry/package-request.js";
import { isNpmPackage } from "../../registry/package-spec.js";
import { asObject } from "../../rpc/json.js";
import { describeValue } from "../../settings/shape.js";
import { checked, type Finding } from "../doctor/finding.js";
import { readStartMetadata, type Target } from "./start-metadata.js";

const { ok, fail, warn } = checked("metadata");

/** The extension that the npm package in `folder` is. It starts by the entry file of its program, with this Node. */
export async function packageTarget(folder: string): Promise<Target> {
  const broken = (finding: Finding): Target => ({ name: basename(folder), findings: [finding] });
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  } catch (failure) {
    return broken(fail(`package.json cannot be read: ${messageOf(failure)}`, "Correct package.json."));
  }
  const { name, version, symposium, private: isPrivate } = asObject(manifest) ?? {};
  if (typeof name !== "string" || !isNpmPackage(name) || name.lastIndexOf("@") > 0) {
    return broken(fail(`package.json: name must be that of an npm package, got ${describeValue(name)}`, "Correct it."));
  }
  const metadata = readStartMetadata(symposium, 'package.json "symposium"', ["binary", "args", "env"]);
  const findings = [...metadata.findings];
  if (typeof version !== "string" || valid(version) === null) {
    findings.push(fail(`package.json: version must be a version, got ${describeValue(version)}`, 'Such as "0.1.0".'));
  }
  if (isPrivate === true) findings.push(warn("package.json is private", "npm publishes it without that line only."));
  const program = pickNpmProgram(manifest, name, metadata.binary);
  if (typeof program !== "string") {
    const hint = 'package.json needs "bin": { "my-extension": "dist/main.js" }.';
    return { name, findings: [...findings, fail(program.message, hint)] };
  }
  findings.push(ok(`${name} ${String(version)}, program ${program}`));
  const file = join(folder, program);
  if (!(await stat(file).catch(() => undefined))?.isFile()) {
    return {
      name,
      findings: [...findings, checked("program").fail(`${file} is not there`, "Build it, then check again.")],
    };
  }
  return {
    name,
    findings,
    command: { command: process.execPath, args: [file, ...metadata.args], env: metadata.env },
  };
}
