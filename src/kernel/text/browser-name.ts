/** Names a browser by its User-Agent (RFC 9110 section 10.1.5), for the list of a person's sessions. */

/** Characters of a User-Agent that are read. */
const MAX_READ = 500;
const UNKNOWN = 'a browser';

/** The first that matches: most browsers name others as well. */
const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chromium|HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+.*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** As "Firefox on Linux". Its words are of these lists alone: a User-Agent is its sender's text. */
export const nameBrowser = (userAgent: string | undefined): string => {
  const text = (userAgent ?? '').slice(0, MAX_READ);
  const browser = BROWSERS.find(([sign]) => sign.test(text))?.[1];
  if (browser === undefined) return UNKNOWN;
  const system = SYSTEMS.find(([sign]) => sign.test(text))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
};
