/** The folder of package.json, config/ and build/. The sources are in src/ below it, the built server in build/server/. */

const SOURCES = new URL('../../', import.meta.url);

export const PROJECT_ROOT = new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', SOURCES);
