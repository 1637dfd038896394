import { hasCargoWorkspace } from "../../../base/cargo/node/has-workspace.js";
import { foldersBelow } from "../../../base/node/project-folders.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { checked, type Finding } from "../findings/finding.js";

const languages: readonly (readonly [language: string, manifest: RegExp])[] = [
  ["Rust", /^Cargo\.toml$/],
  ["TypeScript", /^tsconfig(?:\.[\w-]+)?\.json$/],
  ["JavaScript", /^package\.json$/],
  ["Python", /^(?:pyproject\.toml|requirements(?:[-_.][\w-]+)?\.txt|setup\.(?:py|cfg)|Pipfile)$/],
  ["Go", /^go\.(?:mod|work)$/],
  ["Java or Kotlin", /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/],
  ["C#", /\.(?:csproj|sln)$/],
  ["C or C++", /^(?:CMakeLists\.txt|compile_commands\.json|meson\.build)$/],
];

/** Lists the languages found in a folder, each with its manifest, and the built-in extensions that have no use in the folder. */
export async function checkLanguages(folder: string): Promise<readonly Finding[]> {
  const { ok } = checked("languages");
  const names = (await foldersBelow(folder)).flatMap(({ entries }) =>
    entries.filter((entry) => entry.isFile()).map(({ name }) => name),
  );
  const found = languages.flatMap(([language, manifest]) => {
    const name = names.find((one) => manifest.test(one));
    return name === undefined ? [] : [`${language} (${name})`];
  });
  const silent = hasCargoWorkspace(folder)
    ? ""
    : ". Ferris and Cargo provide no tools here, because there is no Cargo.toml";
  if (found.length === 0) {
    const files = "no package.json, pyproject.toml, go.mod, pom.xml or the like";
    return [ok(`none found in ${plainText(folder, 1_000)}: it has ${files}${silent}`)];
  }
  return [ok(plainText(`${found.join(", ")}${silent}`, 1_000))];
}
