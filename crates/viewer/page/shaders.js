// Programs of the graphics processor.

const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DShadow;
`;

/** Attributes of an instance, and its rotation. */
const INSTANCE = `
layout(location = 0) in vec4 corner;
layout(location = 1) in vec3 place;
layout(location = 2) in vec4 turn;
layout(location = 3) in vec3 size;
layout(location = 4) in vec2 power;
layout(location = 5) in vec4 colour;
layout(location = 6) in uint body;
uniform mat4 toScreen;
uniform float grow;
out vec3 worldPlace;
out vec3 worldNormal;
flat out vec4 ownColour;
flat out uint ownBody;

vec3 rotated(vec4 q, vec3 v) {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

void finish(vec3 point, vec3 normal) {
  vec4 q = normalize(turn);
  worldPlace = place + grow * rotated(q, point);
  worldNormal = rotated(q, normal);
  ownColour = colour;
  ownBody = body;
  gl_Position = toScreen * vec4(worldPlace, 1.0);
}

// Gradient of the norm (x^p + y^p)^(1/p) for x, y >= 0, and the norm itself.
vec3 normGradient(vec2 v, float p) {
  float largest = max(max(v.x, v.y), 1e-30);
  vec2 u = v / largest;
  float sum = pow(u.x, p) + pow(u.y, p);
  return vec3(pow(u, vec2(p - 1.0)) * pow(sum, 1.0 / p - 1.0), largest * pow(sum, 1.0 / p));
}
`;

/** The support point of a superquadric: the gradient of the dual norm at the scaled normal. */
const SUPERQUADRIC_VERTEX = HEAD + INSTANCE + `
void main() {
  vec3 normal = corner.xyz;
  vec3 v = size * normal;
  vec3 point;
  if (power == vec2(2.0)) {
    point = size * v / length(v);
  } else {
    vec3 flat_part = normGradient(abs(v.xy), power.x);
    vec3 whole = normGradient(vec2(flat_part.z, abs(v.z)), power.y);
    point = size * sign(v) * vec3(flat_part.xy * whole.x, whole.y);
  }
  finish(point, normal);
}
`;

const PRISM_VERTEX = HEAD + INSTANCE + `
void main() {
  float ratio = abs(power.y);
  // Outline: the support point in the plane, whose normal is the direction of the corner.
  vec2 v = size.xy * corner.xy;
  vec2 outline = size.xy * (power.x == 2.0 ? v / length(v) : sign(v) * normGradient(abs(v), power.x).xy);
  float wide = corner.w == 0.0 ? 0.0 : corner.z > 0.0 ? ratio : 1.0;
  vec3 point = vec3(wide * outline, corner.z * size.z);
  float slope = 0.5 * (1.0 - ratio) * size.x / size.z;
  vec3 normal = corner.w == 2.0 ? normalize(vec3(corner.xy, slope)) : vec3(0.0, 0.0, corner.z);
  if (power.y < 0.0) {
    point.yz = -point.yz;
    normal.yz = -normal.yz;
  }
  finish(point, normal);
}
`;

const TABLET_VERTEX = HEAD + INSTANCE + `
void main() {
  float radius = size.x, band = size.y, cap = size.z;
  if (corner.w == 1.0) {
    finish(vec3(radius * corner.xy, corner.z * band), vec3(corner.xy, 0.0));
    return;
  }
  float circle = (radius * radius + cap * cap) / (2.0 * cap);
  float angle = asin(min(radius / circle, 1.0)) * corner.z;
  float side = corner.w - 1.0;
  float below = circle * sin(angle) * sin(angle) / (1.0 + cos(angle));
  finish(vec3(circle * sin(angle) * corner.xy, side * (band + cap - below)),
         vec3(sin(angle) * corner.xy, side * cos(angle)));
}
`;

/** Meshes are read from a texture: place and packed normal of each vertex. */
const MESH_VERTEX = HEAD + INSTANCE + `
uniform sampler2D meshes;

void main() {
  int first = int(power.x), count = int(power.y);
  // Instances with fewer triangles than the largest one of their group end here.
  int index = first + min(gl_VertexID, count - 1);
  int width = textureSize(meshes, 0).x;
  vec4 texel = texelFetch(meshes, ivec2(index % width, index / width), 0);
  int packed_normal = int(texel.w);
  vec3 normal = vec3(packed_normal & 255, (packed_normal >> 8) & 255, (packed_normal >> 16) & 255) - 127.0;
  finish(size * texel.xyz, normalize(normal / size));
}
`;

/** Light of a sun and a sky. A sample of the average has one lamp with its shadow. */
const LIGHT = `
uniform vec3 sun;
uniform vec3 zenith;
uniform vec3 lamp;
uniform int lighting; // 0: without shadows, 1: sun with shadow, 2: a sample of the sun, 3: of the sky
uniform mat4 toLamp;
uniform sampler2DShadow shadows;
uniform vec4 cut;

float seen(vec3 place, vec3 normal, vec3 towards) {
  vec4 at = toLamp * vec4(place, 1.0);
  vec3 map = 0.5 * at.xyz + 0.5;
  if (map.x < 0.0 || map.x > 1.0 || map.y < 0.0 || map.y > 1.0 || map.z > 1.0) return 1.0;
  float slope = clamp(1.0 - dot(normal, towards), 0.0, 1.0);
  return texture(shadows, vec3(map.xy, map.z - (0.0012 + 0.004 * slope)));
}

vec3 lit(vec3 albedo, vec3 place, vec3 normal) {
  const float BASE = 0.16, SUN = 0.62, SKY = 0.5;
  float light = BASE;
  if (lighting < 2) {
    float shade = lighting == 1 ? seen(place, normal, sun) : 1.0;
    light += SUN * max(0.0, dot(normal, sun)) * shade + SKY * (0.42 + 0.36 * dot(normal, zenith));
  } else {
    float facing = max(0.0, dot(normal, lamp));
    if (facing > 0.0) facing *= seen(place, normal, lamp);
    light += 2.0 * facing * (lighting == 2 ? SUN : 2.0 * SKY);
  }
  return albedo * light;
}

// Colours are stored with gamma 2.
vec3 stored(vec3 colour) {
  return sqrt(clamp(colour, 0.0, 1.0));
}
`;

const BODY_FRAGMENT = HEAD + LIGHT + `
in vec3 worldPlace;
in vec3 worldNormal;
flat in vec4 ownColour;
flat in uint ownBody;
uniform uint chosen;
out vec4 result;

void main() {
  if (dot(cut.xyz, worldPlace) > cut.w) discard;
  vec3 albedo = ownColour.rgb * ownColour.rgb;
  vec3 normal = normalize(worldNormal);
  // The inside of a grain that is cut open is drawn as its section.
  if (!gl_FrontFacing) {
    normal = cut.xyz;
    albedo *= 0.8;
  }
  vec3 colour = lit(albedo, worldPlace, normal);
  if (ownBody == chosen) colour = mix(colour, vec3(1.0, 0.35, 0.05), 0.55);
  result = vec4(stored(colour), 1.0);
}
`;

const PICK_FRAGMENT = HEAD + `
in vec3 worldPlace;
in vec3 worldNormal;
flat in vec4 ownColour;
flat in uint ownBody;
uniform vec4 cut;
out vec4 result;

void main() {
  if (dot(cut.xyz, worldPlace) > cut.w) discard;
  uint id = ownBody;
  result = vec4(uvec4(id, id >> 8, id >> 16, id >> 24) & 255u) / 255.0;
}
`;

const DEPTH_FRAGMENT = HEAD + `
in vec3 worldPlace;
in vec3 worldNormal;
flat in vec4 ownColour;
flat in uint ownBody;
uniform vec4 cut;

void main() {
  if (dot(cut.xyz, worldPlace) > cut.w) discard;
}
`;

const WALL_VERTEX = HEAD + `
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
uniform mat4 toScreen;
uniform vec3 place;
uniform vec4 turn;
out vec3 worldPlace;
out vec3 worldNormal;

vec3 rotated(vec4 q, vec3 v) {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

void main() {
  worldPlace = place + rotated(turn, corner);
  worldNormal = rotated(turn, normal);
  gl_Position = toScreen * vec4(worldPlace, 1.0);
}
`;

/**
 * A wall is glass from behind. A sheet with two sides is glass where its plane separates the eye from
 * the middle of the grains.
 */
const WALL_FRAGMENT = HEAD + LIGHT + `
in vec3 worldPlace;
in vec3 worldNormal;
uniform vec4 eye; // place (w = 1) or direction (w = 0)
uniform vec3 middle;
uniform bool twoSided;
uniform bool drawGlass;
uniform float opacity;
uniform vec3 albedo;
out vec4 result;

void main() {
  if (dot(cut.xyz, worldPlace) > cut.w) discard;
  vec3 normal = normalize(worldNormal);
  vec3 towards = eye.w == 0.0 ? eye.xyz : eye.xyz - worldPlace;
  bool isFront = dot(normal, towards) > 0.0;
  bool isGlass = twoSided ? isFront != (dot(normal, middle - worldPlace) > 0.0) : !isFront;
  if (isGlass != drawGlass) discard;
  vec3 colour = lit(albedo, worldPlace, isFront ? normal : -normal);
  result = vec4(stored(colour), isGlass ? opacity : 1.0);
}
`;

/** Tubes between two points. */
const TUBE_VERTEX = HEAD + `
layout(location = 0) in vec4 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in float radius;
layout(location = 4) in vec4 colour;
uniform mat4 toScreen;
uniform float thickness;
out vec3 worldPlace;
out vec3 worldNormal;
flat out vec4 ownColour;
flat out uint ownBody;

void main() {
  vec3 axis = normalize(to - from + vec3(0.0, 0.0, 1e-30));
  vec3 side = normalize(cross(abs(axis.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), axis));
  vec3 out_ = corner.x * side + corner.y * cross(axis, side);
  float wide = corner.w == 0.0 ? 0.0 : thickness * radius;
  worldPlace = mix(from, to, corner.z) + wide * out_;
  worldNormal = corner.w == 0.0 ? (2.0 * corner.z - 1.0) * axis : out_;
  ownColour = colour;
  ownBody = 0xffffffffu; // no body is chosen by it
  gl_Position = toScreen * vec4(worldPlace, 1.0);
}
`;

const FULL_VERTEX = HEAD + `
out vec2 at;

void main() {
  at = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
  gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
}
`;

/** Adds a sample to the average. */
const AVERAGE_FRAGMENT = HEAD + `
in vec2 at;
uniform sampler2D sampled;
uniform sampler2D average;
uniform float part;
out vec4 result;

void main() {
  vec4 colour = texture(sampled, at);
  colour.rgb *= colour.rgb;
  result = mix(texture(average, at), colour, part);
}
`;

/** Shows a picture: gamma 2 if it is an average. */
const SHOW_FRAGMENT = HEAD + `
in vec2 at;
uniform sampler2D sampled;
uniform bool isAverage;
out vec4 result;

void main() {
  vec4 colour = texture(sampled, at);
  result = vec4(isAverage ? sqrt(colour.rgb) : colour.rgb, 1.0);
}
`;

/** Vertex and fragment shader of each program. */
export const PROGRAMS = {
  superquadric: [SUPERQUADRIC_VERTEX, BODY_FRAGMENT],
  prism: [PRISM_VERTEX, BODY_FRAGMENT],
  tablet: [TABLET_VERTEX, BODY_FRAGMENT],
  mesh: [MESH_VERTEX, BODY_FRAGMENT],
  pickSuperquadric: [SUPERQUADRIC_VERTEX, PICK_FRAGMENT],
  pickPrism: [PRISM_VERTEX, PICK_FRAGMENT],
  pickTablet: [TABLET_VERTEX, PICK_FRAGMENT],
  pickMesh: [MESH_VERTEX, PICK_FRAGMENT],
  depthSuperquadric: [SUPERQUADRIC_VERTEX, DEPTH_FRAGMENT],
  depthPrism: [PRISM_VERTEX, DEPTH_FRAGMENT],
  depthTablet: [TABLET_VERTEX, DEPTH_FRAGMENT],
  depthMesh: [MESH_VERTEX, DEPTH_FRAGMENT],
  wall: [WALL_VERTEX, WALL_FRAGMENT],
  tube: [TUBE_VERTEX, BODY_FRAGMENT],
  average: [FULL_VERTEX, AVERAGE_FRAGMENT],
  show: [FULL_VERTEX, SHOW_FRAGMENT],
};
