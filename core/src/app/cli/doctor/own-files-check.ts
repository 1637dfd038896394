import { SymposiumError } from "../../../base/symposium-error.js";
import { GuardFiles } from "../../../guard/node/guard-rule-files.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { SecretFile } from "../../../context/servers/node/secrets/secret-file.js";
import { TrustFile } from "../../../settings/trust/node/trust-file.js";
import { checked, type Finding } from "../findings/finding.js";

/** Checks the user's other files: rules (including the project's), trust and secrets. Returns nothing if all are readable. */
export async function checkOwnFiles(folder = process.cwd()): Promise<readonly Finding[]> {
  const rules = await new GuardFiles().rulesFor(folder);
  const remedy = "Fix the file. Until your own rules can be read, you are asked about everything.";
  return [
    ...rules.problems.map((problem) => checked("guard").fail(plainText(problem, 2_000), remedy)),
    ...(await failureOf("trust", () => new TrustFile().read())),
    ...(await failureOf("secrets", () => new SecretFile().names())),
  ];
}

async function failureOf(check: string, read: () => Promise<unknown>): Promise<readonly Finding[]> {
  try {
    await read();
    return [];
  } catch (failure) {
    if (!(failure instanceof SymposiumError)) throw failure;
    return [checked(check).fail(failure.message, failure.hint)];
  }
}
