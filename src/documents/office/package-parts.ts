/** The parts of an Office document (ECMA-376, Open Packaging Conventions): XML files in a ZIP, unpacked within bounds. */

import { strFromU8, unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { decodeDocument } from '../charset.ts';

/** Octets of all parts that are read, unpacked: a package of a few KB may unpack to gigabytes. */
const MAX_UNPACKED = 32 * 1024 * 1024;
const MAX_PARTS = 5_000;
/** Parts of XML that have no text of the document, and may be larger than all others: the records of a pivot table. */
const UNREAD =
  /(?:^|[\\/])(?:pivotCache|externalLinks|drawings|charts|slideLayouts|slideMasters|theme)[\\/]|calcChain\.xml$/i;
/** Elements within each other; programs write some dozen. */
const MAX_DEPTH = 256;

export interface PackageParts {
  /** In the package's order, in lower case: names are compared without case (ECMA-376 part 2, section 6.3.5). */
  readonly names: readonly string[];
  /** Null where there is no such part. */
  read(name: string): string | null;
}

export const startsZip = (octets: Uint8Array): boolean => strFromU8(octets.subarray(0, 4), true) === 'PK\x03\x04';

/** Some programs write backslashes. */
const toPartName = (name: string): string => name.replaceAll('\\', '/').toLowerCase();

/** Parts other than XML (pictures, fonts) are not unpacked. @throws where it is damaged, or too large */
export const openPackage = (octets: Uint8Array): PackageParts => {
  let unpacked = 0;
  let packed = 0;
  let count = 0;
  const files = unzipSync(octets, {
    filter: ({ name, size, originalSize }) => {
      count += 1;
      packed += size;
      // Entries may share octets, and each would be a copy.
      if (packed > octets.length) throw new Error('entries overlap');
      if (count > MAX_PARTS) throw new Error('too many parts');
      if (!/\.(?:xml|rels)$/i.test(name) || UNREAD.test(name)) return false;
      unpacked += Math.max(size, originalSize);
      if (unpacked > MAX_UNPACKED) throw new Error('too large unpacked');
      return true;
    },
  });
  const parts = new Map(Object.entries(files).map(([name, file]) => [toPartName(name), file]));
  return {
    names: [...parts.keys()],
    read: (name) => {
      const part = parts.get(toPartName(name));
      return part ? decodeDocument(part, null) : null;
    },
  };
};

export type Attributes = Readonly<Record<string, string>>;

export interface XmlVisitor {
  /** @param name without its prefix */
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/** A document's own entities are ignored. @throws where its elements nest too deep */
export const walkXml = (xml: string, visitor: XmlVisitor): void => {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > MAX_DEPTH) throw new Error('too deep');
        visitor.open?.(withoutPrefix(name), attributes);
      },
      ontext: (text) => visitor.text?.(text),
      onclosetag: (name) => {
        depth -= 1;
        visitor.close?.(withoutPrefix(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
};

/** The targets of a part's relations (`_rels/NAME.rels`), by id: parts of the package, or addresses outside of it. */
export const readRelations = (parts: PackageParts, name: string, isExternal = false): Map<string, string> => {
  const at = name.lastIndexOf('/') + 1;
  const folder = name.slice(0, at);
  const targets = new Map<string, string>();
  walkXml(parts.read(`${folder}_rels/${name.slice(at)}.rels`) ?? '', {
    open: (element, { Id: id, Target: target, TargetMode: mode }) => {
      if (element !== 'Relationship' || !id || !target || (mode === 'External') !== isExternal) return;
      targets.set(id, isExternal ? target : decodeURI(new URL(target, `file:///${folder}`).pathname).slice(1));
    },
  });
  return targets;
};
