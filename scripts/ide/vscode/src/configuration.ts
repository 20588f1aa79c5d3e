// What is wrong with a launch configuration, in one plain sentence; before anything
// is started.

export interface Files {
  isFile(path: string): boolean;
  exists(path: string): boolean;
  /** A program by its path or by its name in PATH. */
  findProgram(name: string): string | undefined;
}

export interface Configuration {
  [key: string]: unknown;
}

/** Of "elf@0x1000" the file. */
export function withoutAddress(image: string, files: Files): string {
  const found = /^(.+)@(0x[0-9a-fA-F]+|\d+)$/.exec(image);
  return found && !files.exists(image) ? found[1]! : image;
}

function missing(key: string, path: string, files: Files): string | undefined {
  if (files.isFile(path)) return undefined;
  return files.exists(path)
    ? `"${key}" is not a file: ${path}`
    : `"${key}" does not exist: ${path}`;
}

/** The first thing that is wrong, or nothing. Paths are absolute, variables are
 * replaced. */
export function problemOf(configuration: Configuration, rewind: string, files: Files): string | undefined {
  const { trace, index, loadOptions } = configuration;
  if (trace === undefined)
    return `"trace" is missing: the path of the recorded trace, such as "\${workspaceFolder}/sample.tarmac"`;
  if (typeof trace !== "string" || !trace) return `"trace" is the path of a file, not ${JSON.stringify(trace)}`;
  const images: [string, unknown][] = [];
  for (const key of ["program", "image", "images"]) {
    const value = configuration[key];
    for (const one of Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value]) images.push([key, one]);
  }
  for (const [key, image] of images) {
    if (typeof image !== "string" || !image) return `"${key}" is the path of an ELF file, not ${JSON.stringify(image)}`;
    const wrong = missing(key, withoutAddress(image, files), files);
    if (wrong) return wrong;
  }
  const wrong = missing("trace", trace, files);
  if (wrong) return wrong;
  if (index !== undefined && (typeof index !== "string" || !index)) return `"index" is the path of a file, not ${JSON.stringify(index)}`;
  if (loadOptions !== undefined && !(Array.isArray(loadOptions) && loadOptions.every((option) => typeof option === "string")))
    return `"loadOptions" is an array of strings`;
  if (!files.findProgram(rewind))
    return `there is no program ${rewind}: set "rewind.path" in the settings (of a remote window: the Remote settings), or "rewindPath" in the configuration, to where it is`;
  return undefined;
}
