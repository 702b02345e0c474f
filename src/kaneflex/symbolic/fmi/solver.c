/* An instance of the model, and its integration by Dormand and Prince's pair of orders 5 and 4 with step control. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

typedef struct {
    double t, y[NY], r[NR + 1], p[NP + 1], rtol, h;
} Instance;

static const double START[NY] = MODEL_START;
static const double PARAMETERS[NP + 1] = MODEL_PARAMETERS;

static Instance *make(void)
{
    Instance *m = calloc(1, sizeof(Instance));
    if (!m)
        return NULL;
    memcpy(m->y, START, sizeof(START));
    memcpy(m->p, PARAMETERS, sizeof(PARAMETERS));
    m->rtol = 1e-8;
    return m;
}

static void begin(Instance *m)
{
    memset(m, 0, sizeof(Instance));
    memcpy(m->y, START, sizeof(START));
    memcpy(m->p, PARAMETERS, sizeof(PARAMETERS));
    m->rtol = 1e-8;
}

static int rates(const Instance *m, double t, const double *y, double *ydot)
{
    if (model_rates(t, y, m->r, m->p, ydot) != 0)
        return -1;
    for (int i = 0; i < NY; ++i)
        if (!isfinite(ydot[i]))
            return -1;
    return 0;
}

/* Value references: 0 the time; then states, their rates, inputs, parameters, and the tolerance of the solver. */
static int get_value(const Instance *m, unsigned vr, double *value)
{
    double ydot[NY];
    if (vr == 0)
        *value = m->t;
    else if (vr <= NY)
        *value = m->y[vr - 1];
    else if (vr <= 2 * NY) {
        if (rates(m, m->t, m->y, ydot) != 0)
            return -1;
        *value = ydot[vr - 1 - NY];
    } else if (vr <= 2 * NY + NR)
        *value = m->r[vr - 1 - 2 * NY];
    else if (vr <= 2 * NY + NR + NP)
        *value = m->p[vr - 1 - 2 * NY - NR];
    else if (vr == 2 * NY + NR + NP + 1)
        *value = m->rtol;
    else
        return -1;
    return 0;
}

static int set_value(Instance *m, unsigned vr, double value)
{
    if (!isfinite(value))
        return -1;
    if (vr >= 1 && vr <= NY)
        m->y[vr - 1] = value;
    else if (vr > 2 * NY && vr <= 2 * NY + NR)
        m->r[vr - 1 - 2 * NY] = value;
    else if (vr > 2 * NY + NR && vr <= 2 * NY + NR + NP)
        m->p[vr - 1 - 2 * NY - NR] = value;
    else if (vr == 2 * NY + NR + NP + 1 && value > 0)
        m->rtol = value;
    else
        return -1;
    return 0;
}

static const double A[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double C[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double E[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static int go_to(Instance *m, double end)
{
    double k[7][NY], y[NY];
    double h = m->h > 0 ? m->h : fmin(1e-3, end - m->t);
    while (m->t < end) {
        const int last = m->t + 1.01 * h >= end;
        const double step = last ? end - m->t : h;
        double error = 0;
        int bad = rates(m, m->t, m->y, k[0]);
        if (bad)
            return -1;
        for (int s = 1; s < 7 && !bad; ++s) {
            for (int i = 0; i < NY; ++i) {
                double sum = 0;
                for (int j = 0; j < s; ++j)
                    sum += A[s][j] * k[j][i];
                y[i] = m->y[i] + step * sum;
            }
            bad = rates(m, m->t + C[s] * step, y, k[s]);
        }
        for (int i = 0; i < NY && !bad; ++i) {
            double sum = 0;
            for (int s = 0; s < 7; ++s)
                sum += E[s] * k[s][i];
            const double scale = m->rtol * (0.01 + fmax(fabs(m->y[i]), fabs(y[i])));
            error += step * sum / scale * (step * sum / scale);
        }
        error = bad ? 1e6 : sqrt(error / NY);
        const double factor = fmin(5, fmax(0.2, 0.9 * pow(fmax(error, 1e-10), -0.2)));
        if (error <= 1) {
            m->t = last ? end : m->t + step;
            memcpy(m->y, y, sizeof(y));
            model_normalise(m->y);
            h = last && factor > 1 ? fmax(h, step * factor) : step * factor;
        } else {
            h = step * fmin(factor, 0.9);
            if (h < 1e-14 * (1 + fabs(m->t)))
                return -1;
        }
    }
    m->h = h;
    return 0;
}
