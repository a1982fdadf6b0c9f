/** The fields of a CSV import and the spellings of their columns. */

import { toNormalForm } from '../../kernel/text/normal-form.ts';

/** The fields' names in the import's answer. */
export type Field =
  | 'email'
  | 'first name'
  | 'last name'
  | 'name'
  | 'preferred name'
  | 'company'
  | 'title'
  | 'phone'
  | 'notes'
  | 'domains'
  | AddressField;

/** The components of a postal address, in the order of an export. */
export const ADDRESS_FIELDS = [
  'po box',
  'extended address',
  'street',
  'city',
  'region',
  'postal code',
  'country',
] as const;

export type AddressField = (typeof ADDRESS_FIELDS)[number];

const addressFields: ReadonlySet<string> = new Set(ADDRESS_FIELDS);

export const isAddressField = (field: Field): field is AddressField => addressFields.has(field);

/**
 * Normalised headers: of exports by Google, Outlook, Apple, Yahoo, Thunderbird, HubSpot, Mailchimp and Salesforce, and
 * the usual words in German, French, Spanish, Italian, Portuguese, Dutch, Polish, Czech, Turkish, Russian, Chinese,
 * Japanese, Korean and the Nordic languages.
 */
const SPELLINGS: Record<Field, string> = {
  email:
    'email|e mail|mail|email address|e mail address|mail address|email id|email addresses|emails|email value|e mail value|' +
    'emailaddress|mailadresse|e mail adresse|email adresse|courriel|adresse email|adresse e mail|adresse courriel|' +
    'correo|correo electronico|email contact|contact email|indirizzo email|indirizzo posta elettronica|e mailadres|' +
    'adresse de messagerie|adresse electronique|direccion de correo electronico|endereco de email|adres e mail|' +
    'e postadress|e postadresse|e post|e mailadresse|sahkoposti|sahkopostiosoite|e mailova adresa|e posta|e posta adresi|' +
    'адрес электронной почты|электронная почта|电子邮件|电子邮件地址|电子邮箱|邮箱|電子郵件|電子郵件地址|' +
    'メールアドレス|電子メール アドレス|이메일|이메일 주소|전자 메일 주소',
  'first name':
    'first name|firstname|first|given name|givenname|given|fname|forename|contact first name|vorname|prenom|nombre|' +
    'nome|voornaam|imie|fornamn|fornavn|etunimi|jmeno|krestni jmeno|ad|adı|имя|名|이름',
  'last name':
    'last name|lastname|last|surname|family name|familyname|family|lname|contact last name|nachname|familienname|' +
    'zuname|nom|nom de famille|apellido|apellidos|cognome|sobrenome|apelido|achternaam|nazwisko|efternamn|etternavn|' +
    'efternavn|sukunimi|prijmeni|soyad|soyadı|фамилия|姓|성',
  name:
    'name|full name|fullname|display name|displayname|contact|contact name|person|customer name|recipient|nom complet|' +
    'nombre completo|anzeigename|отображаемое имя|фио|姓名|氏名|名前',
  'preferred name': 'preferred name|preferredname|nickname|nick name|nick|alias|known as|spitzname|surnom|apodo',
  company:
    'company|company name|companyname|organization|organisation|organization name|organisation name|org|employer|' +
    'account|account name|associated company|business name|firm|firma|unternehmen|societe|entreprise|empresa|' +
    'name des unternehmens|nom de l entreprise|organizacion|azienda|societa|bedrijf|' +
    'foretag|virksomhed|yritys|spolecnost|sirket|организация|компания|公司|单位|会社|会社名|회사',
  title:
    'title|job title|jobtitle|job|position|role|occupation|organization title|organisation title|berufsbezeichnung|' +
    'funktion|stelle|jobtitel|fonction|poste|titre du poste|cargo|puesto|posizione|functie|stanowisko|' +
    'befattning|stilling|is unvanı|должность|职务|职位|職稱|役職|직함',
  phone:
    'phone|phone number|phonenumber|phone value|phones|telephone|telephone number|tel|tel number|contact number|number|' +
    'telefon|telefonnummer|rufnummer|tel no|phone no|numero de telephone|telefono|numero de telefono|telefone|telefoon|telefoon op|' +
    'tel nr|puhelin|puhelinnumero|телефон|电话|電話|電話番号|전화|전화번호',
  notes:
    'notes|note|comment|comments|remarks|description|memo|notizen|notiz|bemerkung|bemerkungen|remarques|commentaires|notas|comentarios|' +
    'anteckningar|notater|заметки|附注|备注|メモ|메모',
  domains: 'domains|domain',
  'po box': 'po box|p o box|post office box|postfach|boite postale|apartado',
  'extended address':
    'extended address|extended|address line 2|address2|street address 2|street 2|apartment|suite|adresszusatz',
  street:
    'street|street address|address|address line 1|address1|address line|mailing address|strasse|straße|anschrift|adresse|rue|calle|direccion',
  city: 'city|town|locality|city town|ort|stadt|wohnort|ville|ciudad',
  region:
    'region|state|province|state region|state province|county|bundesland|kanton|bundesland kanton|provincia|estado',
  'postal code':
    'postal code|postalcode|postcode|post code|zip|zip code|zipcode|zip postal code|zip postal|postleitzahl|plz|code postal|codigo postal',
  country: 'country|country region|country name|nation|land|land region|pays|pays region|pais|pais region',
};

/** Headers that name both a field and a label. */
const LABELLED: Record<string, readonly [Field, string]> = {
  mobile: ['phone', 'cell'],
  cell: ['phone', 'cell'],
  cellphone: ['phone', 'cell'],
  handy: ['phone', 'cell'],
  mobil: ['phone', 'cell'],
  mobiltelefon: ['phone', 'cell'],
  portable: ['phone', 'cell'],
  movil: ['phone', 'cell'],
  celular: ['phone', 'cell'],
  cellulare: ['phone', 'cell'],
  'cep telefonu': ['phone', 'cell'],
  'мобильный телефон': ['phone', 'cell'],
  手机: ['phone', 'cell'],
  移动电话: ['phone', 'cell'],
  行動電話: ['phone', 'cell'],
  携帯電話: ['phone', 'cell'],
  휴대폰: ['phone', 'cell'],
  'is telefonu': ['phone', 'work'],
  'рабочий телефон': ['phone', 'work'],
  商务电话: ['phone', 'work'],
  '근무지 전화': ['phone', 'work'],
  'company phone': ['phone', 'work'],
  'company main phone': ['phone', 'work'],
  'direct phone': ['phone', 'work'],
  fax: ['phone', 'fax'],
  'fax number': ['phone', 'fax'],
  pager: ['phone', 'pager'],
};

/** Words of a header that label its value; a number distinguishes several columns. */
const LABEL_WORDS: Record<string, string | null> = {
  home: 'home',
  private: 'home',
  personal: 'home',
  privat: 'home',
  work: 'work',
  business: 'work',
  office: 'work',
  geschaftlich: 'work',
  dienstlich: 'work',
  beruflich: 'work',
  arbeit: 'work',
  buro: 'work',
  bureau: 'work',
  travail: 'work',
  professionnel: 'work',
  trabajo: 'work',
  trabalho: 'work',
  ufficio: 'work',
  werk: 'work',
  arbete: 'work',
  domicile: 'home',
  personnel: 'home',
  casa: 'home',
  mobile: 'cell',
  mobil: 'cell',
  movil: 'cell',
  celular: 'cell',
  mobiele: 'cell',
  komorkowy: 'cell',
  cell: 'cell',
  fax: 'fax',
  other: 'other',
  weitere: 'other',
  weiteres: 'other',
  school: 'school',
  secondary: null,
  alternate: null,
  additional: null,
  primary: null,
  primare: null,
  sekundare: null,
  main: null,
  mailing: null,
  billing: null,
  preferred: null,
};

/** Longer headers are no names of columns. */
const MAX_HEADER = 100;

/** `E-mail 1 - Value`: `e mail 1 value`; `FirstName`: `first name`; `Prénom`: `prenom`. */
const normalizeHeader = (header: string): string =>
  toNormalForm(header.slice(0, MAX_HEADER).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'), 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const FIELDS = new Map<string, Field>(
  Object.entries(SPELLINGS).flatMap(([field, spellings]) =>
    spellings.split('|').map((spelling) => [normalizeHeader(spelling), field as Field] as const),
  ),
);

const LABELLED_FIELDS = new Map(Object.entries(LABELLED).map(([header, of]) => [normalizeHeader(header), of]));

export interface ColumnName {
  field: Field;
  label: string | null;
  /** Distinguishes the columns of several addresses or e-mail addresses: `Address 2 - City`. */
  group: string;
  /** Whether the cells hold labels of another column's values: `E-mail 1 - Label`. */
  isLabel: boolean;
}

/** The words without numbers and label words, and the label. */
const reduce = (words: readonly string[]): { base: string; label: string | null; number: string } => {
  const isNumber = (word: string): boolean => /^\d{1,3}$/.test(word);
  const labels = words.flatMap((word) => (Object.hasOwn(LABEL_WORDS, word) ? (LABEL_WORDS[word] ?? []) : []));
  return {
    base: words.filter((word) => !isNumber(word) && !Object.hasOwn(LABEL_WORDS, word)).join(' '),
    label: labels.length === 0 ? null : [...new Set(labels)].join(' '),
    number: words.find(isNumber) ?? '',
  };
};

/** Null for a header without a matching field. */
export const readColumnName = (header: string): ColumnName | null => {
  const name = normalizeHeader(header);
  const whole = FIELDS.get(name);
  if (whole) return { field: whole, label: null, group: '', isLabel: false };
  const own = LABELLED_FIELDS.get(name);
  if (own) return { field: own[0], label: own[1], group: '', isLabel: false };
  const { base, label, number } = reduce(name.split(' '));
  const group = `${label ?? ''} ${number}`.trim();
  // `Business Fax`
  if (base === '' && label?.includes('fax')) return { field: 'phone', label, group, isLabel: false };
  const labelled = /^(.+) (?:type|label)$/.exec(base)?.[1];
  const field = FIELDS.get(labelled ?? base) ?? FIELDS.get(base.replace(/^address /, ''));
  return field ? { field, label, group, isLabel: labelled !== undefined } : null;
};
