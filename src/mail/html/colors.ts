/** Parses and compares colours of HTML and CSS. */

import colorString from 'color-string';

export interface Color {
  red: number;
  green: number;
  blue: number;
  /** 0 is transparent. */
  alpha: number;
}

export const BLACK: Color = { red: 0, green: 0, blue: 0, alpha: 1 };
export const WHITE: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
/** The colour of links in browsers. */
export const LINK: Color = { red: 0, green: 0, blue: 238, alpha: 1 };

/** Maximum invisible difference per channel: #fff and #fefefe, #fff and #f2f2f2. */
const UNSEEN = 16;
const MAX_CHARS = 60;

const fromHsl = (hue: number, saturation: number, lightness: number): [number, number, number] => {
  const chroma = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (shift: number): number => {
    const at = (shift + hue / 30) % 12;
    return 255 * (lightness / 100 - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [channel(0), channel(8), channel(4)];
};

/** Parses a CSS colour; null for an invalid one. `legacy` accepts HTML attribute values, which may lack their `#`. */
export const readColor = (value: string, { legacy = false } = {}): Color | null => {
  const text = value.trim().slice(0, MAX_CHARS).toLowerCase();
  const hashed = legacy && /^(?:[0-9a-f]{3}|[0-9a-f]{6})$/.test(text) ? `#${text}` : text;
  const rgb = colorString.get.rgb(hashed);
  if (rgb) return { red: rgb[0] ?? 0, green: rgb[1] ?? 0, blue: rgb[2] ?? 0, alpha: rgb[3] ?? 1 };
  const hsl = colorString.get.hsl(hashed);
  if (!hsl) return null;
  const [red, green, blue] = fromHsl(hsl[0] ?? 0, hsl[1] ?? 0, hsl[2] ?? 0);
  return { red, green, blue, alpha: hsl[3] ?? 1 };
};

/** Parses an attribute's value; undefined for none. */
export const readLegacyColor = (value: string | undefined): Color | null | undefined =>
  value === undefined || value.trim() === '' ? undefined : readColor(value, { legacy: true });

export const looksAlike = (a: Color, b: Color): boolean =>
  Math.abs(a.red - b.red) <= UNSEEN && Math.abs(a.green - b.green) <= UNSEEN && Math.abs(a.blue - b.blue) <= UNSEEN;

/** Blends a colour over another. */
export const blend = (over: Color, under: Color): Color => {
  const mix = (one: number, other: number): number => Math.round(one * over.alpha + other * (1 - over.alpha));
  return {
    red: mix(over.red, under.red),
    green: mix(over.green, under.green),
    blue: mix(over.blue, under.blue),
    alpha: 1,
  };
};

const brightness = ({ red, green, blue }: Color): number => 0.299 * red + 0.587 * green + 0.114 * blue;

/** Minimum difference in brightness, of 255, of readable text. */
const READABLE = 80;

export const standsOut = (color: Color, background: Color): boolean =>
  Math.abs(brightness(color) - brightness(background)) >= READABLE;

export const readableOn = (background: Color): Color => (brightness(background) < 128 ? WHITE : BLACK);

/** Formats `#06c` or `#0066cd`; ignores transparency. */
export const writeColor = ({ red, green, blue }: Color): string => {
  const hex = colorString.to.hex(red, green, blue) ?? '';
  return hex.toLowerCase().replace(/^#(.)\1(.)\2(.)\3$/, '#$1$2$3');
};

/** Relative luminance (WCAG 2.2). */
const luminance = ({ red, green, blue }: Color): number => {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** Contrast ratio (WCAG 2.2), from 1 to 21. */
export const contrast = (one: Color, other: Color): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
