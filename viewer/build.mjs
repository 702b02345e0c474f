// Bundle src/main.js and src/viewer.css into the two files that Python puts into its pages.
// The first line of each names a hash of all sources, which a test recomputes: a stale bundle fails there.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "kaneflex", "view", "assets");

/** SHA-256 over names and contents of everything that the bundle is made from. */
function hashOfSources() {
  const names = ["build.mjs", "package-lock.json", ...readdirSync(join(here, "src")).map((n) => `src/${n}`)].sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(here, name))).update("\n");
  return hash.digest("hex");
}

const banner = `/* kaneflex viewer, sources ${hashOfSources()} */`;
// The licence of three.js asks for its text in every copy.
const licence = readFileSync(join(here, "node_modules", "three", "LICENSE"), "utf8").trim().replace("©", "(c)");
const common = { bundle: true, minify: true, write: false, absWorkingDir: here, target: ["chrome100", "firefox115", "safari16.4"] };
const script = await build({
  ...common,
  entryPoints: ["src/main.js"],
  format: "iife",
  charset: "ascii",
  legalComments: "eof",
  banner: { js: banner },
  footer: { js: `/*! three.js\n\n${licence}\n*/` },
});
const style = await build({ ...common, entryPoints: ["src/viewer.css"], banner: { css: banner } });

const text = script.outputFiles[0].text;
// Either of these would end or change the meaning of the <script> element that the bundle stands in.
const trouble = text.match(/<\/script|<script|<!--/i);
if (trouble) throw new Error(`the bundle contains ${trouble[0]}, which a page cannot hold`);
writeFileSync(join(target, "viewer.js"), text);
writeFileSync(join(target, "viewer.css"), style.outputFiles[0].text);
console.log(`viewer.js ${(text.length / 1e3).toFixed(0)} kB, viewer.css ${(style.outputFiles[0].text.length / 1e3).toFixed(1)} kB`);
