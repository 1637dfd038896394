/** A distribution's name as Python indexes compare it (PEP 503): `Ruamel_YAML` is `ruamel-yaml`. */
export function pythonNameKey(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}
