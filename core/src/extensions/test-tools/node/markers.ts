/** Files that mark a folder as a Gradle build. */
export const gradleFiles: readonly string[] = [
  "build.gradle",
  "build.gradle.kts",
  "settings.gradle",
  "settings.gradle.kts",
];
/** Files that mark a folder as a Python project. */
export const pythonMarkers: readonly string[] = ["pyproject.toml", "pytest.ini", "conftest.py", "tox.ini", "setup.cfg"];
/** Files that mark a folder as a project with tests or checks. */
export const markers: readonly string[] = [
  ...["package.json", "go.mod", "bunfig.toml", "compile_commands.json", "pom.xml"],
  ...pythonMarkers,
  ...gradleFiles,
];
