/**
 * Opens parts that contain a whole mail: opaque signatures are opened; encrypted and TNEF content is reported in
 * `defects`.
 */

import { readFields, splitMessage } from '../header/header-section.ts';
import { ENCRYPTED, TNEF } from './defects.ts';
import { type FilePart, type MimeParts, type PartLimits, readParts } from './mime-parts.ts';
import { readCms } from './opaque-signed.ts';

/** Nested signatures (RFC 2634 wraps three times). */
const MAX_WRAPS = 3;

const CMS = /^application\/(?:x-)?pkcs7-mime$/;
const CMS_NAME = /\.p7m$/i;
const TNEF_TYPE = /^application\/(?:vnd\.)?ms-tnef$/;
const TNEF_NAME = /^winmail\.dat$/i;
const GENERIC = /^application\/(?:octet-stream|x-[\w-]+)$/;

const isCms = ({ contentType, filename }: FilePart): boolean =>
  CMS.test(contentType) || (GENERIC.test(contentType) && CMS_NAME.test(filename ?? ''));
const isTnef = ({ contentType, filename }: FilePart): boolean =>
  TNEF_TYPE.test(contentType) || (GENERIC.test(contentType) && TNEF_NAME.test(filename ?? ''));

export interface OpeningLimits extends PartLimits {
  readonly headerFields: number;
  readonly headerBytes: number;
}

/** Returns the parts, with those inside opaque signatures appended. */
export const openSecuredParts = async (parts: MimeParts, limits: OpeningLimits, wraps = 0): Promise<MimeParts> => {
  if (!parts.files.some((file) => isCms(file) || isTnef(file) || file.contentType === 'application/pgp-encrypted')) {
    return parts;
  }
  const opened: MimeParts = { texts: [...parts.texts], files: [], defects: [...parts.defects] };
  for (const file of parts.files) {
    if (isTnef(file)) opened.defects.push(TNEF);
    if (file.contentType === 'application/pgp-encrypted') opened.defects.push(ENCRYPTED);
    const cms = isCms(file) && wraps < MAX_WRAPS ? readCms(file.content) : null;
    if (cms?.kind === 'encrypted') opened.defects.push(ENCRYPTED);
    // The signed part stays a file, as a detached signature does, so that the signature can be verified.
    opened.files.push(file);
    if (cms?.kind !== 'signed') continue;
    const { header, body } = splitMessage(cms.content);
    const inner = await readParts(readFields(header, limits).fields, body, limits);
    const innerOpened = await openSecuredParts(inner, limits, wraps + 1);
    opened.texts.push(...innerOpened.texts);
    opened.files.push(...innerOpened.files);
    opened.defects.push(...innerOpened.defects);
  }
  return opened;
};
