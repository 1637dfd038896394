import { childOf, childrenOf, childText, parseXml, type XmlElement } from "../../../base/xml.js";

/** A dependency in a pom.xml. Group, artifact and version may contain unexpanded `${…}` properties. */
export interface PomDependency {
  readonly group: string;
  readonly artifact: string;
  readonly version?: string;
  readonly scope?: string;
  readonly type?: string;
  readonly isOptional: boolean;
  /** Excluded transitive dependencies as `group:artifact`; either part may be `*`. */
  readonly exclusions: readonly string[];
}

/** Parsed content of one pom.xml, without the values inherited from its parent. */
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
  /** The project's modules, as folders or pom.xml files relative to the project's folder. */
  readonly modules: readonly string[];
}

const coordinate = /^[A-Za-z0-9_.-]+$/;

/** Whether the text is a valid part of a Maven coordinate, and therefore safe to use in a path or command. */
export function isCoordinate(text: string): boolean {
  return coordinate.test(text) && text.length <= 200 && !/^[.-]|\.\./.test(text);
}

/** Parses a pom.xml. Returns undefined if the text isn't a Maven project. */
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
        // An empty `relativePath` tells Maven not to look for the parent in the neighboring folders.
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

/** Returns the object without the keys whose values are undefined. */
function optional<Key extends string>(values: Readonly<Record<Key, string | undefined>>): Partial<Record<Key, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<Key, string>
  >;
}
