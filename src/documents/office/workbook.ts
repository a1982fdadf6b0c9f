/** The text of a workbook (SpreadsheetML): each sheet's rows, with tabs between their cells. */

import { type Attributes, type PackageParts, readRelations, walkXml } from './package-parts.ts';

const WORKBOOK = 'xl/workbook.xml';
/** Empty cells before a filled one that are kept. */
const MAX_GAP = 100;

/** `AB12`: 27. */
const columnOf = (reference: string | undefined, next: number): number => {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return next;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
};

/** Strings that cells refer to by number. */
const readStrings = (xml: string): string[] => {
  const strings: string[] = [];
  let isText = false;
  let readings = 0;
  walkXml(xml, {
    open: (name) => {
      if (name === 'si') strings.push('');
      else if (name === 'rPh') readings += 1;
      isText = name === 't' && readings === 0;
    },
    text: (text) => {
      if (isText) strings.push((strings.pop() ?? '') + text);
    },
    close: (name) => {
      if (name === 'rPh') readings -= 1;
      isText = false;
    },
  });
  return strings;
};

/** Built-in number formats for dates and times, those of East Asia too (ECMA-376 part 1, section 18.8.30). */
const isDateNumber = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
/** Ignores quoted text, colours, escapes, and letters that stand for a blank or a filling. */
const isDateCode = (code: string): boolean => /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, ''));
/** Whether a format shows a duration: its hours are not limited to a day. */
const isElapsedCode = (code: string): boolean => /\[(?:h+|m+|s+)\]/i.test(code.replace(/"[^"]*"|\\./g, ''));
const ELAPSED_NUMBER = 46;

/** A number: its figures are filled up with zeros, as those of a postal code. */
type CellFormat = 'date' | 'elapsed' | number;

/** The cell styles with a format of dates, times, durations or figures. */
const readCellStyles = (xml: string): ReadonlyMap<number, CellFormat> => {
  const codes = new Map<number, string>();
  const styles = new Map<number, CellFormat>();
  const formatOf = (id: number): CellFormat | null => {
    const code = codes.get(id);
    if (code !== undefined && /^0{2,30}$/.test(code)) return code.length;
    if (code === undefined ? id === ELAPSED_NUMBER : isElapsedCode(code)) return 'elapsed';
    return (code === undefined ? isDateNumber(id) : isDateCode(code)) ? 'date' : null;
  };
  let isOfCells = false;
  let count = 0;
  walkXml(xml, {
    open: (name, attributes) => {
      const id = Number(attributes.numFmtId);
      if (name === 'numFmt') codes.set(id, attributes.formatCode ?? '');
      else if (name === 'cellXfs') isOfCells = true;
      else if (name === 'xf' && isOfCells) {
        const format = formatOf(id);
        if (format !== null) styles.set(count, format);
        count += 1;
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return styles;
};

const DAY_MS = 86_400_000;
/** Day 0 of each of the two calendars; day 60 of the first is 29 February 1900, which did not exist. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };

const formatDate = (value: string, epoch: number): string => {
  const days = Number(value);
  const at = new Date(Math.round((epoch + days * DAY_MS) / 1_000) * 1_000);
  if (value === '' || Number.isNaN(at.getTime())) return value;
  const [date = '', time = ''] = at.toISOString().slice(0, 19).split('T');
  if (days >= 0 && days < 1) return time;
  return Number.isInteger(days) ? date : `${date} ${time}`;
};

/** `40:30:00` */
const formatElapsed = (value: string): string => {
  const seconds = Math.round(Math.abs(Number(value)) * 86_400);
  if (value === '' || !Number.isFinite(seconds)) return value;
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (Number(value) < 0 ? '-' : '') + parts.map((part) => String(part).padStart(2, '0')).join(':');
};

/** Spreadsheets show 15 digits of a fraction; the file has the rounding errors, too. */
const formatNumber = (value: string): string => {
  const number = Number(value);
  return value.length > 15 && !Number.isInteger(number) && Number.isFinite(number)
    ? String(Number(number.toPrecision(15)))
    : value;
};

interface Formats {
  strings: readonly string[];
  styles: ReadonlyMap<number, CellFormat>;
  epoch: number;
}

const formatCell = ({ t: type, s: style }: Attributes, value: string, { strings, styles, epoch }: Formats): string => {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== undefined && type !== 'n') return value;
  const format = styles.get(Number(style));
  if (format === undefined) return formatNumber(value);
  if (typeof format === 'number') return /^\d+$/.test(value) ? value.padStart(format, '0') : formatNumber(value);
  return format === 'elapsed' ? formatElapsed(value) : formatDate(value, epoch);
};

/** @returns at least `most` characters, where there are as many */
const readSheet = (xml: string, formats: Formats, most: number): string => {
  const rows: string[] = [];
  let length = 0;
  let cells: string[] = [];
  let rowLength = 0;
  let cell: Attributes = {};
  let value = '';
  let formula = '';
  let inside = '';
  let column = 0;
  walkXml(xml, {
    open: (name, attributes) => {
      if (name === 'row') {
        cells = [];
        rowLength = 0;
        column = 0;
      } else if (name === 'c') {
        cell = attributes;
        value = '';
        formula = '';
      } else inside = name;
    },
    text: (text) => {
      if (length >= most) return;
      if ((inside === 'v' || inside === 't') && value.length < most) value += text;
      else if (inside === 'f' && formula.length < most) formula += text;
    },
    close: (name) => {
      inside = '';
      if (name === 'c' && length + rowLength < most) {
        const at = columnOf(cell.r, column);
        for (let gap = Math.min(at - column, MAX_GAP); gap > 0; gap -= 1) cells.push('');
        // A program that writes formulas without computing them leaves no value.
        const shown = value === '' && formula !== '' ? `=${formula}` : formatCell(cell, value, formats);
        // Every cell may refer to the same string.
        const text = shown.slice(0, most).replace(/[\t\r\n]+/g, ' ');
        cells.push(text);
        rowLength += text.length + 1;
        column = at + 1;
      } else if (name === 'row' && length < most) {
        const row = cells.join('\t').trimEnd();
        if (row !== '') rows.push(row);
        length += row.length + 1;
      }
    },
  });
  return rows.join('\n');
};

export const isWorkbook = ({ names }: PackageParts): boolean => names.includes(WORKBOOK);

/** @param most characters, after which no further sheet is read */
export const readWorkbook = (parts: PackageParts, most: number): string => {
  const relations = readRelations(parts, WORKBOOK);
  const sheets: { name: string; part: string; isHidden: boolean }[] = [];
  let epoch: number = EPOCHS[1900];
  walkXml(parts.read(WORKBOOK) ?? '', {
    open: (name, attributes) => {
      if (name === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) epoch = EPOCHS[1904];
      const part = name === 'sheet' && relations.get(attributes['r:id'] ?? '');
      const isHidden = attributes.state !== undefined && attributes.state !== 'visible';
      if (part) sheets.push({ name: attributes.name ?? '', part, isHidden });
    },
  });
  const formats = {
    strings: readStrings(parts.read(parts.names.find((name) => /\bsharedstrings\.xml$/.test(name)) ?? '') ?? ''),
    styles: readCellStyles(parts.read('xl/styles.xml') ?? ''),
    epoch,
  };
  let left = most;
  const texts: string[] = [];
  for (const { name, part, isHidden } of sheets) {
    if (left <= 0) break;
    const text = `# ${name}${isHidden ? ' (hidden)' : ''}\n${readSheet(parts.read(part) ?? '', formats, left)}`;
    left -= text.length;
    texts.push(text);
  }
  return texts.join('\n\n');
};
