import { childOf, childrenOf, childText, parseXml, type XmlElement } from "../../../base/xml.js";

/** `group:artifact`, and what a project says of it. Texts may hold `${…}` that is not yet replaced. */
export interface PomDependency {
  readonly group: string;
  readonly artifact: string;
  readonly version?: string;
  readonly scope?: string;
  readonly type?: string;
  readonly isOptional: boolean;
  /** `group:artifact`, where either may be `*`. */
  readonly exclusions: readonly string[];
}

/** What one pom.xml says, without what it inherits. */
export interface Pom {
  readonly group?: string;
  readonly artifact: string;
  readonly version?: string;
  readonly parent?: {
    readonly group: string;
    readonly artifact: string;
    readonly version: string;
    readonly path: string;
  };
  readonly properties: ReadonlyMap<string, string>;
  readonly managed: readonly PomDependency[];
  readonly dependencies: readonly PomDependency[];
  /** Folders or files from its own folder on. */
  readonly modules: readonly string[];
}

const coordinate = /^[A-Za-z0-9_.-]+$/;

/** Whether it can only be a part of an artifact's coordinates: nothing else may become part of a path or a command. */
export function isCoordinate(text: string): boolean {
  return coordinate.test(text) && text.length <= 200 && !/^[.-]|\.\./.test(text);
}

/** Undefined where the text is no project of Maven's. */
export function parsePom(text: string): Pom | undefined {
  const project = parseXml(text);
  if (project?.name !== "project") return undefined;
  const parent = childOf(project, "parent");
  const own = optional({ group: childText(project, "groupId"), version: childText(project, "version") });
  return {
    ...own,
    artifact: childText(project, "artifactId") ?? "",
    ...(parent && {
      parent: {
        group: childText(parent, "groupId") ?? "",
        artifact: childText(parent, "artifactId") ?? "",
        version: childText(parent, "version") ?? "",
        // Empty means that it is not to be looked for beside the project.
        path: childOf(parent, "relativePath") ? (childText(parent, "relativePath") ?? "") : "../pom.xml",
      },
    }),
    properties: new Map(childOf(project, "properties")?.children.map(({ name, text }) => [name, text.trim()])),
    managed: dependenciesIn(childOf(childOf(project, "dependencyManagement"), "dependencies")),
    dependencies: dependenciesIn(childOf(project, "dependencies")),
    modules: childrenOf(childOf(project, "modules"), "module").map(({ text }) => text.trim()),
  };
}

function dependenciesIn(element: XmlElement | undefined): readonly PomDependency[] {
  return childrenOf(element, "dependency").map((one) => ({
    group: childText(one, "groupId") ?? "",
    artifact: childText(one, "artifactId") ?? "",
    ...optional({
      version: childText(one, "version"),
      scope: childText(one, "scope"),
      type: childText(one, "type"),
    }),
    isOptional: childText(one, "optional") === "true",
    exclusions: childrenOf(childOf(one, "exclusions"), "exclusion").map(
      (exclusion) => `${childText(exclusion, "groupId") ?? "*"}:${childText(exclusion, "artifactId") ?? "*"}`,
    ),
  }));
}

/** Without keys whose value is undefined. */
function optional<Key extends string>(values: Readonly<Record<Key, string | undefined>>): Partial<Record<Key, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<Key, string>
  >;
}
