import type { Device } from '@holdpoint/schema/device'
import { describe, expect, it } from 'vitest'
import { admit, type GuardOptions, type RequestFacts, type RouteAccess } from './guard.ts'

const owner: Device = { id: 'dev_1', name: 'owner', role: 'owner', createdAt: 0, lastSeenAt: 0 }
const viewer: Device = { ...owner, id: 'dev_2', role: 'viewer' }
const narrow: Device = { ...owner, id: 'dev_3', sessionIds: ['ses_1'] }

const options: GuardOptions = {
  closing: new AbortController().signal,
  allowedHosts: new Set(['127.0.0.1:4680', 'localhost:4680', 'name.example']),
  allowedOrigins: new Set(['http://127.0.0.1:4680', 'http://localhost:4680', 'https://name.example']),
  pageOrigins: new Map([
    ['127.0.0.1:4680', 'http://127.0.0.1:4680'],
    ['name.example', 'https://name.example'],
  ]),
  tokenOrigins: new Set(['tauri://localhost']),
  authenticate: (credential) =>
    'token' in credential
      ? { o: owner, v: viewer, n: narrow }[credential.token]
      : { p: owner, w: viewer }[credential.pageSecret],
  redeemTicket: (ticket, path) =>
    path === '/event' && ticket === 'page'
      ? { device: owner, surface: 'web' }
      : { program: { device: owner, surface: 'api' } as const }[ticket],
}

const facts: RequestFacts = { method: 'GET', hosts: ['127.0.0.1:4680'], hasBody: false, upgrade: false }
const bearer = { authorization: 'Bearer o' }
const page = { pageSecret: 'p' }
const cookie = { cookie: 'holdpoint_4680=p; holdpoint_4680=o' }
const ticket = { path: '/event', ticket: 'page' }
const elsewhere = { origin: 'tauri://localhost', fetchSite: 'cross-site' }
const named = { hosts: ['LocalHost:4680'] }
const fromNamed = { origin: 'http://localhost:4680' }
const ofProxy = { hosts: ['name.example'] }
const fromProxy = { origin: 'https://name.example' }
const ours = { origin: 'http://127.0.0.1:4680' }
const read: RouteAccess = { action: 'read-asks' }
const answer: RouteAccess = { action: 'answer-ask' }
const events: RouteAccess = { action: 'read-events', ticketed: true }

function verdict(more: Partial<RequestFacts>, access: RouteAccess = read) {
  const admission = admit({ ...facts, ...more }, access, options)
  return admission.ok ? `${admission.device?.role ?? 'anybody'} by ${admission.surface}` : admission.refusal
}

describe('the guard', () => {
  it.each<[string, Partial<RequestFacts>, RouteAccess, string]>([
    ['a bearer token', bearer, read, 'owner by api'],
    ['a bearer token in lower case', { authorization: 'bearer o' }, read, 'owner by api'],
    ['a page by its secret', page, read, 'owner by web'],
    ['a page behind a proxy with a password', { ...page, authorization: 'Basic eDp5' }, read, 'owner by web'],
    ['a page that changes something', { ...page, ...ours, method: 'POST' }, answer, 'owner by web'],
    ['a page behind a proxy', { ...page, ...ofProxy, ...fromProxy }, read, 'owner by web'],
    ['the terminal', { ...bearer, marker: 'terminal' }, read, 'owner by terminal'],
    ['a page cannot call itself a terminal', { ...page, marker: 'terminal' }, read, 'owner by web'],
    ['an event stream by ticket', ticket, events, 'owner by web'],
    ['a socket by ticket', { ...ticket, ...ours, upgrade: true }, read, 'owner by web'],
    ['a program’s token from an origin that is allowed', { ...bearer, ...elsewhere }, read, 'owner by api'],
    ['and its ticket', { ...elsewhere, path: '/event', ticket: 'program', upgrade: true }, read, 'owner by api'],
    ['its preparations, which are public', { ...elsewhere, method: 'POST' }, { action: 'public' }, 'anybody by api'],
    ['a program by a name that others share', { ...bearer, ...named, ...fromNamed }, read, 'owner by api'],
    ['its ticket there', { ...named, path: '/event', ticket: 'program', upgrade: true }, read, 'owner by api'],
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
    ['a cross-site read', { ...page, fetchSite: 'cross-site' }, read, 'foreign_origin'],
    ['a read from another port', { ...page, fetchSite: 'same-site' }, read, 'foreign_origin'],
    ['a login from another site', { method: 'POST', fetchSite: 'cross-site' }, { action: 'public' }, 'foreign_origin'],
    ['no credential', {}, read, 'unauthorized'],
    [
      'no credential and a wrong type',
      { method: 'POST', hasBody: true, contentType: 'text/plain' },
      answer,
      'unauthorized',
    ],
    ['an unknown token', { authorization: 'Bearer x' }, read, 'unauthorized'],
    ['an unknown token beside a good secret', { authorization: 'Bearer x', ...page }, read, 'unauthorized'],
    ['a page’s secret as a token', { authorization: 'Bearer p' }, read, 'unauthorized'],
    ['a token as a page’s secret', { pageSecret: 'o' }, read, 'unauthorized'],
    ['T64 cookies of any value', cookie, read, 'unauthorized'],
    ['T64 cookies, from our own page', { ...cookie, ...ours, fetchSite: 'same-origin' }, events, 'unauthorized'],
    ['T64 cookies for a socket', { ...cookie, ...ours, upgrade: true }, read, 'unauthorized'],
    ['a ticket where none is taken', ticket, read, 'unauthorized'],
    ['a ticket for a change', { ...ticket, method: 'POST' }, events, 'unauthorized'],
    ['a ticket of another path', { ...ticket, path: '/api/stream' }, events, 'unauthorized'],
    ['a ticket beside a wrong secret', { ...ticket, pageSecret: 'x' }, events, 'unauthorized'],
    ['a page’s socket without an origin', { ...ticket, upgrade: true }, read, 'foreign_origin'],
    ['a page’s secret from an origin that is allowed', { ...page, ...elsewhere }, read, 'foreign_origin'],
    ['a page’s ticket from there', { ...ticket, ...elsewhere }, events, 'foreign_origin'],
    ['cookies from there', { ...cookie, ...elsewhere }, read, 'unauthorized'],
    ['T64 a page’s secret by a name that others share', { ...page, ...named }, read, 'shared_name'],
    ['T64 a page’s secret from a page of such a name', { ...page, ...fromNamed }, read, 'shared_name'],
    ['T64 a page’s ticket there', { ...ticket, ...named }, events, 'shared_name'],
    ['T64 a page’s socket there', { ...ticket, ...named, ...fromNamed, upgrade: true }, read, 'shared_name'],
    ['T64 a page of the local address through a proxy', { ...page, ...ofProxy, ...ours }, read, 'shared_name'],
    ['T64 a proxy’s page without the proxy’s host', { ...page, ...fromProxy }, read, 'shared_name'],
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
