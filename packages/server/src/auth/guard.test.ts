import type { Device } from '@holdpoint/schema/device'
import { describe, expect, it } from 'vitest'
import { admit, type GuardOptions, type RequestFacts, type RouteAccess } from './guard.ts'

const owner: Device = { id: 'dev_1', name: 'owner', role: 'owner', createdAt: 0, lastSeenAt: 0 }
const viewer: Device = { ...owner, id: 'dev_2', role: 'viewer' }
const narrow: Device = { ...owner, id: 'dev_3', sessionIds: ['ses_1'] }

const options: GuardOptions = {
  allowedHosts: new Set(['127.0.0.1:4680', 'localhost:4680']),
  allowedOrigins: new Set(['http://127.0.0.1:4680', 'http://localhost:4680']),
  cookieName: 'holdpoint_4680',
  authenticate: (secret) =>
    new Map([
      ['o', owner],
      ['v', viewer],
      ['n', narrow],
    ]).get(secret),
}

const facts: RequestFacts = { method: 'GET', hosts: ['127.0.0.1:4680'], hasBody: false, upgrade: false }
const bearer = { authorization: 'Bearer o' }
const cookie = { cookie: 'holdpoint_4680=o' }
const ours = { origin: 'http://127.0.0.1:4680' }
const read: RouteAccess = { action: 'read-asks' }
const answer: RouteAccess = { action: 'answer-ask' }
const dialect: RouteAccess = { ...answer, markerless: true }

function verdict(more: Partial<RequestFacts>, access: RouteAccess = read) {
  const admission = admit({ ...facts, ...more }, access, options)
  return admission.ok ? `${admission.device?.role ?? 'anybody'} by ${admission.surface}` : admission.refusal
}

describe('the guard', () => {
  it.each<[string, Partial<RequestFacts>, RouteAccess, string]>([
    ['a bearer token', bearer, read, 'owner by api'],
    ['a bearer token in lower case', { authorization: 'bearer o' }, read, 'owner by api'],
    ['the cookie', cookie, read, 'owner by web'],
    ['the cookie among others', { cookie: 'a=b; holdpoint_4680=o; c=d' }, read, 'owner by web'],
    ['the terminal', { ...bearer, marker: 'terminal' }, read, 'owner by terminal'],
    ['a cookie cannot call itself a terminal', { ...cookie, marker: 'terminal' }, read, 'owner by web'],
    [
      'our own page that knows no marker',
      { ...cookie, ...ours, method: 'POST', fetchSite: 'same-origin' },
      dialect,
      'owner by web',
    ],
    ['nobody, for what is public', {}, { action: 'public' }, 'anybody by api'],
    ['a link from elsewhere to what is public', { fetchSite: 'cross-site' }, { action: 'public' }, 'anybody by api'],
  ])('lets in: %s', (_, more, access, expected) => expect(verdict(more, access)).toBe(expected))

  it.each<[string, Partial<RequestFacts>, RouteAccess, string]>([
    ['no host', { ...bearer, hosts: [] }, read, 'wrong_host'],
    ['two hosts', { ...bearer, hosts: ['127.0.0.1:4680', '127.0.0.1:4680'] }, read, 'wrong_host'],
    ['a foreign host, even for what is public', { hosts: ['evil'] }, { action: 'public' }, 'wrong_host'],
    ['a foreign origin', { ...bearer, origin: 'https://evil' }, read, 'foreign_origin'],
    ['an origin of another scheme', { ...bearer, origin: 'https://127.0.0.1:4680' }, read, 'foreign_origin'],
    ['a sandboxed frame', { ...bearer, origin: 'null' }, read, 'foreign_origin'],
    ['a cross-site read', { ...cookie, fetchSite: 'cross-site' }, read, 'foreign_origin'],
    ['a login from another site', { method: 'POST', fetchSite: 'cross-site' }, { action: 'public' }, 'foreign_origin'],
    ['no credential', {}, read, 'unauthorized'],
    [
      'no credential and a wrong type',
      { method: 'POST', hasBody: true, contentType: 'text/plain' },
      answer,
      'unauthorized',
    ],
    ['an unknown token', { authorization: 'Bearer x' }, read, 'unauthorized'],
    ['an unknown token beside a good cookie', { authorization: 'Bearer x', ...cookie }, read, 'unauthorized'],
    ['two cookies of the name', { cookie: 'holdpoint_4680=o; holdpoint_4680=v' }, read, 'unauthorized'],
    ['the cookie of another port', { cookie: 'holdpoint_4681=o' }, read, 'unauthorized'],
    ['an unsafe call by cookie without the marker', { ...cookie, ...ours, method: 'POST' }, answer, 'marker_missing'],
    ['another page, where no marker is needed', { ...cookie, method: 'POST' }, dialect, 'marker_missing'],
    [
      'a page nearby, where no marker is needed',
      { ...cookie, method: 'POST', fetchSite: 'same-site' },
      dialect,
      'foreign_origin',
    ],
    ['a socket by cookie without an origin', { ...cookie, upgrade: true }, read, 'foreign_origin'],
    ['a role that may not', { authorization: 'Bearer v' }, answer, 'forbidden'],
    ['one session’s owner managing devices', { authorization: 'Bearer n' }, { action: 'manage-devices' }, 'forbidden'],
    ['one session’s owner starting another', { authorization: 'Bearer n' }, { action: 'start-session' }, 'forbidden'],
  ])('T1 T4 T10 keeps out: %s', (_, more, access, expected) => expect(verdict(more, access)).toBe(expected))

  it('T4 takes JSON and what the route names, in UTF-8, and nothing else', () => {
    const send = (contentType: string | undefined, accepts?: string[]) =>
      verdict(
        { ...bearer, method: 'POST', hasBody: true, ...(contentType !== undefined && { contentType }) },
        { ...answer, ...(accepts && { accepts }) },
      )
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ]) {
      expect(send(type), type).toBe('owner by api')
    }
    for (const type of [
      undefined,
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/json',
      'application/json; charset=utf-7',
      'application/json, text/plain',
      'application/jsonx',
    ]) {
      expect(send(type), String(type)).toBe('wrong_content_type')
    }
    expect(send('image/png', ['image/png'])).toBe('owner by api')
    expect(send('application/json', ['image/png'])).toBe('wrong_content_type')
  })
})
