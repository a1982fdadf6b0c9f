/** An OCI image (image-spec 1.1) of a release, as a folder in the image layout: a minimal Debian root and the tree of the release. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const USER = 10_025;
const HOME = '/opt/postroom';
/** The one volume: etc/ has config and key, data/ all else. */
const VOLUME = '/postroom';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** What Node and scripts/postroom need. */
const PACKAGES = ['ca-certificates', 'libstdc++6', 'bash', 'coreutils'];
const TIME = '2000-01-01T00:00:00Z';

interface Blob {
  digest: string;
  size: number;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Moves a file into the layout, under its digest. */
const addFile = (layout: string, file: string): Blob => {
  const hex = execFileSync('sha256sum', [file], { encoding: 'utf8' }).slice(0, 64);
  const { size } = statSync(file);
  renameSync(file, join(layout, 'blobs/sha256', hex));
  return { digest: `sha256:${hex}`, size };
};

const addJson = (layout: string, document: unknown): Blob => {
  const bytes = Buffer.from(JSON.stringify(document));
  const hex = sha256(bytes);
  writeFileSync(join(layout, 'blobs/sha256', hex), bytes);
  return { digest: `sha256:${hex}`, size: bytes.length };
};

const makeRoot = (tree: string, root: string, architecture: string): void => {
  const options = [
    '--quiet',
    '--variant=essential',
    `--architectures=${architecture}`,
    `--include=${PACKAGES.join(',')}`,
  ];
  const leaveOut = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*'];
  const excludes = leaveOut.map((path) => `--dpkgopt=path-exclude=${path}`);
  const licences = '--dpkgopt=path-include=/usr/share/doc/*/copyright';
  execFileSync('mmdebstrap', [...options, ...excludes, licences, 'bookworm', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(join(root, HOME), { recursive: true });
  cpSync(tree, join(root, HOME), { recursive: true });
  appendFileSync(join(root, 'etc/passwd'), `postroom:x:${USER}:${USER}::${VOLUME}/data:/usr/sbin/nologin\n`);
  appendFileSync(join(root, 'etc/group'), `postroom:x:${USER}:\n`);
  mkdirSync(join(root, VOLUME), { mode: 0o700 });
  execFileSync('chown', [`${USER}:${USER}`, join(root, VOLUME)]);
};

/**
 * Wants root, and the processor of the image: mmdebstrap runs its programs.
 * @param tree a release, unpacked
 * @param layout the folder that is made
 */
export const makeImage = (tree: string, layout: string, { version, cpu }: { version: string; cpu: string }): void => {
  const architecture = ARCHITECTURES[cpu] ?? cpu;
  const folder = mkdtempSync(join(tmpdir(), 'postroom-image-'));
  try {
    const root = join(folder, 'root');
    makeRoot(tree, root, architecture);
    rmSync(layout, { recursive: true, force: true });
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
    const tar = join(folder, 'layer.tar');
    const order = [
      '--sort=name',
      `--mtime=${TIME}`,
      '--numeric-owner',
      '--format=gnu',
      '--exclude=./dev/*',
      '--exclude=./proc/*',
    ];
    execFileSync('tar', [...order, '-C', root, '-cf', tar, '.']);
    const diffId = `sha256:${execFileSync('sha256sum', [tar], { encoding: 'utf8' }).slice(0, 64)}`;
    execFileSync('gzip', ['-6', '-n', tar]);
    const layer = addFile(layout, `${tar}.gz`);
    const config = addJson(layout, {
      created: TIME,
      architecture,
      os: 'linux',
      config: {
        User: `${USER}:${USER}`,
        Env: [
          `PATH=${HOME}/scripts:/usr/bin:/bin`,
          `POSTROOM_CONFIG=${VOLUME}/etc/postroom.toml`,
          'NODE_ENV=production',
          'NODE_DISABLE_COMPILE_CACHE=1',
          // As in systemd/postroom.service.
          'MALLOC_ARENA_MAX=2',
          'MALLOC_MMAP_THRESHOLD_=1048576',
        ],
        Entrypoint: [`${HOME}/scripts/postroom`],
        Cmd: ['serve'],
        WorkingDir: VOLUME,
        Volumes: { [VOLUME]: {} },
        // As `postroom init --container` has the listeners.
        ExposedPorts: { '2525/tcp': {}, '8080/tcp': {}, '8443/tcp': {} },
        StopSignal: 'SIGTERM',
        // Of the OCI image spec's annotations; what lists and scans images reads them.
        Labels: {
          'org.opencontainers.image.title': 'Postroom',
          'org.opencontainers.image.version': version,
          'org.opencontainers.image.licenses': 'MIT',
        },
      },
      rootfs: { type: 'layers', diff_ids: [diffId] },
      history: [{ created: TIME, comment: `postroom ${version}` }],
    });
    const media = 'application/vnd.oci.image';
    const manifest = addJson(layout, {
      schemaVersion: 2,
      mediaType: `${media}.manifest.v1+json`,
      config: { mediaType: `${media}.config.v1+json`, ...config },
      layers: [{ mediaType: `${media}.layer.v1.tar+gzip`, ...layer }],
    });
    // podman and docker name the image by it when they load it.
    const annotations = { 'org.opencontainers.image.ref.name': `localhost/postroom:${version}` };
    const platform = { architecture, os: 'linux' };
    const index = { mediaType: `${media}.manifest.v1+json`, ...manifest, platform, annotations };
    writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [index] }));
    writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
