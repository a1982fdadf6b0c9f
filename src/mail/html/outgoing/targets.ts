/** The addresses that outgoing HTML may have: absolute ones, of schemes that every program opens safely. */

import { cleanHref } from '../anchors.ts';

const MAX_TARGET = 2_000;

const isWeb = (address: string): boolean => /^https:\/\//i.test(address) && URL.canParse(address);

const readAddress = (written: string, others: RegExp): string | null => {
  const address = cleanHref(written);
  if (address.length > MAX_TARGET) return null;
  return isWeb(address) || others.test(address) ? address : null;
};

/** @returns null for a relative address, and one of another scheme */
export const readTarget = (href: string): string | null => readAddress(href, /^(?:mailto|tel|cid):[^\s]/i);

export const readImage = (src: string): string | null => readAddress(src, /^cid:[^\s]/i);
